"""All jobs of `bench/same`."""

from __future__ import annotations

from pathlib import Path

from . import from_fixtures, inputs, old_files, selecting, telling, training
from .job import Job


def every(data: Path, made: Path, oracle: Path, own: Path, methods: list[str], classifiers: list[str]) -> list[Job]:
    """All jobs, in the order they are run."""
    jobs = [
        *selecting.each_data_set(data),
        *selecting.quick_methods(data),
        *selecting.each_method(methods),
        *selecting.parameters(),
        *selecting.columns_and_rows(),
        *selecting.formats(),
        *selecting.shrinking(),
        *selecting.pieces(),
        *selecting.from_matrix(),
        *training.training(classifiers),
        *training.each_data_set(data),
        *training.comparing(),
        *telling.simulated(),
        *telling.described(methods),
        *telling.refused(),
        *from_fixtures.each_fixture(inputs.fixtures(made / "fixtures", oracle, own), classifiers),
        *old_files.read_old(classifiers),
    ]
    folders = [job.folder for job in jobs]
    twice = {folder for folder in folders if folders.count(folder) > 1}
    assert not twice, f"two jobs of one name: {twice}"
    return jobs
