# SPDX-License-Identifier: BSD-3-Clause
# unittest and doctest, with subtests and an expected failure.
import doctest, sys, unittest

def double(n):
    """
    >>> double(2)
    4
    >>> double("a")
    'aa'
    """
    return n * 2

class T(unittest.TestCase):
    def test_sub(self):
        for i in range(3):
            with self.subTest(i=i):
                self.assertNotEqual(double(i), 2)

    @unittest.expectedFailure
    def test_expected(self):
        self.fail()

    def test_warns(self):
        with self.assertWarns(DeprecationWarning):
            import warnings
            warnings.warn("old", DeprecationWarning)

print(doctest.testmod())
result = unittest.TestResult()
unittest.defaultTestLoader.loadTestsFromTestCase(T).run(result)
print(result)
