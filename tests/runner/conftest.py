import pytest

from temporacle.runner import processes


@pytest.fixture(params=["copies", "interpreters"])
def started_as(request, monkeypatch):
    """Both ways to start a worker. Whether copies are possible depends on the threads of the process of the tests."""
    if request.param == "interpreters":
        monkeypatch.setattr(processes, "can_copy", lambda: False)
    elif not processes.can_copy():
        pytest.skip("another thread runs here")
    return request.param
