"""The list of experiments."""

from __future__ import annotations

from mehler.reproduce._experiment import Experiment


def experiments() -> dict[str, Experiment]:
    """List the experiments by name.

    Returns
    -------
    dict of str to Experiment
        All experiments, in the order of the papers.

    See Also
    --------
    run : Run one by its name.

    Examples
    --------
    >>> from mehler import reproduce
    >>> reproduce.experiments()["maxout-table-1"].title
    'Errors of random maxout features over m and q'
    """
    from mehler.reproduce.depth import EXPERIMENT as depth
    from mehler.reproduce.invariant.mnist import EXPERIMENT as invariant_mnist
    from mehler.reproduce.invariant.panels import MNIST as mnist_panels
    from mehler.reproduce.invariant.panels import SPEECH as speech_panels
    from mehler.reproduce.invariant.permutations import EXPERIMENT as permutations
    from mehler.reproduce.invariant.speech import EXPERIMENT as invariant_speech
    from mehler.reproduce.invariant.vowels import EXPERIMENT as vowels
    from mehler.reproduce.kitchen_sinks import EXPERIMENT as summary
    from mehler.reproduce.leverage.adult import EXPERIMENT as adult
    from mehler.reproduce.leverage.experiments import EXPERIMENT as leverage
    from mehler.reproduce.leverage.few_labels import EXPERIMENT as few_labels
    from mehler.reproduce.leverage.weights import EXPERIMENT as weights
    from mehler.reproduce.maxout.figure_1 import EXPERIMENT as figure_1
    from mehler.reproduce.maxout.figure_2 import EXPERIMENT as figure_2
    from mehler.reproduce.maxout.local_coefficients import EXPERIMENT as local_coefficients
    from mehler.reproduce.maxout.maps import EXPERIMENT as maps
    from mehler.reproduce.maxout.table_1 import EXPERIMENT as table_1
    from mehler.reproduce.maxout.table_1 import PIXELS as table_1_pixels
    from mehler.reproduce.maxout.table_2 import EXPERIMENT as table_2
    from mehler.reproduce.maxout.table_3 import EXPERIMENT as table_3
    from mehler.reproduce.maxout.table_3_frames import EXPERIMENT as table_3_frames

    known = (
        figure_1,
        figure_2,
        local_coefficients,
        table_1,
        table_1_pixels,
        maps,
        table_2,
        table_3,
        table_3_frames,
        permutations,
        invariant_mnist,
        mnist_panels,
        invariant_speech,
        speech_panels,
        vowels,
        leverage,
        adult,
        few_labels,
        weights,
        summary,
        depth,
    )
    return {one.name: one for one in known}
