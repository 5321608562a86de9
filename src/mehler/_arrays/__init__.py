"""The only package that knows that array backends differ.

Everything above is written against the array API standard. This package supplies the rest:
the namespace and device of an array, transfers between host and device, and block-wise loops
over rows without a temporary of the size of the data.
"""

# What its files name without an underscore is for all packages.
from mehler._arrays._host import *
from mehler._arrays._linear_algebra import *
from mehler._arrays._namespace import *
from mehler._arrays._products import *
from mehler._arrays._rows import *
