# SPDX-License-Identifier: BSD-3-Clause
"""Pages of reports in headless Chromium, for tests; a test without selenium or Chromium is skipped."""
import shutil

from cdbgtest import *

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.keys import Keys
except ImportError:
    webdriver = None


class Browser:
    """A window on files below a directory."""

    def __init__(self, where, width=1300, height=900):
        self.where = where
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        for a in "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=%d,%d" % (width, height):
            options.add_argument(a)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.driver.quit()

    def get(self, name):
        self.driver.get("file://%s/%s" % (self.where, name))

    def js(self, text, *args):
        return self.driver.execute_script(text, *args)

    def timed(self, text):
        """Milliseconds until what the statement changed is on the screen."""
        return self.driver.execute_async_script("""const done = arguments[0], t = performance.now(); %s;
            requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(performance.now() - t), 0)))""" % text)

    def command(self, name, **args):
        """A command of the protocol that Chromium's developer tools speak."""
        return self.driver.execute_cdp_cmd(name, args)

    def marked(self, kind):
        """Texts of what is marked."""
        return self.js("return [...document.querySelectorAll('.%s')].map(e => e.textContent.trim())" % kind)

    def type(self, *keys):
        self.driver.switch_to.active_element.send_keys(*keys)

    def errors(self):
        return [e["message"] for e in self.driver.get_log("browser")]


def lacking():
    """What a browser needs and this machine has not, or None."""
    if not webdriver:
        return "needs selenium"
    if not shutil.which("chromium") or not shutil.which("chromedriver"):
        return "needs chromium and chromedriver"


def need_browser():
    if lacking():
        skip_all(lacking())
