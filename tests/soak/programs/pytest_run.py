# SPDX-License-Identifier: BSD-3-Clause
# needs: pytest
# pytest in this process: passes, failures with rewritten asserts, captured output, a fixture, exit status.
import os, sys, tempfile
import pytest

d = tempfile.mkdtemp()
with open(os.path.join(d, "test_it.py"), "w") as f:
    f.write("import pytest\n"
            "@pytest.fixture\ndef five():\n    yield 5\n    print('teardown')\n"
            "def test_good(five):\n    assert five == 5\n"
            "def test_bad(five):\n    print('captured')\n    assert five + 1 == 7, 'why'\n"
            "def test_raises():\n    with pytest.raises(KeyError):\n        {}[1]\n")
os.chdir(d)
print(int(pytest.main(["-q", "-p", "no:cacheprovider", "--no-header", "-rf", "--tb=short", "test_it.py"])))
