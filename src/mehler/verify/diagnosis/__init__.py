"""Why a kernel is wrong: estimates at all pairs in, suggestions with how well each fits out."""
