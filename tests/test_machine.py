"""State machines for some steps; `machine.py` has the long form."""

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from machine import MACHINES, Machine


@pytest.mark.parametrize("machine", MACHINES)
def test_a_model_knows_what_it_should_after_any_steps(machine: type[Machine]) -> None:
    run_state_machine_as_test(machine, settings=settings(max_examples=8, stateful_step_count=12))
    assert Machine.n_steps[machine.__name__] > 50
