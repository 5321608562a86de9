"""What learning on maxout features costs: lemmas, theorem and remark on the excess risk."""
