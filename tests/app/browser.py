# SPDX-License-Identifier: BSD-3-Clause
"""A headless Chromium that opens one page from a file and uses it as a person would."""

import base64
import shutil
import tempfile
import time
from pathlib import Path

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

PATIENCE = 60  # seconds; what has to be fast says so itself


def program(*names):
    for name in names:
        if found := shutil.which(name):
            return found
    raise SystemExit(f"{names[0]} is not installed (scripts/install-deps --test)")


class Page:
    def __init__(self, size=(1500, 950)):
        self.folder = tempfile.mkdtemp(prefix="heddle-browser-")
        options = Options()
        options.binary_location = program("chromium", "chromium-browser")
        # Root in a container has no sandbox, and often little shared memory.
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu",
                         "--disable-dev-shm-usage", "--force-device-scale-factor=1",
                         "--hide-scrollbars", f"--window-size={size[0]},{size[1]}",
                         f"--user-data-dir={self.folder}"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service(program("chromedriver")), options=options)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()
        shutil.rmtree(self.folder, ignore_errors=True)

    def open(self, file, scheme="light"):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": scheme}]})
        self.driver.get(Path(file).resolve().as_uri())
        self.wait_until("return Boolean(window.heddle)")
        self.drawn()

    def drawn(self):
        """Waits for the picture as it is asked for now; what is on it."""
        time.sleep(0.1)  # an animation frame, in which a new picture is begun
        self.wait_until("return heddle.picture.drawn.finished && !heddle.picture.job")
        return self.run("return heddle.picture.drawn")

    def wait_until(self, script, seconds=PATIENCE):
        self.wait_for(lambda: self.run(script), seconds, script)

    @staticmethod
    def wait_for(true, seconds=PATIENCE, what="what was waited for"):
        end = time.monotonic() + seconds
        while not true():
            if time.monotonic() > end:
                raise AssertionError(f"never true: {what}")
            time.sleep(0.05)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def find(self, id_):
        return self.driver.find_element(By.ID, id_)

    def text(self, id_):
        return self.find(id_).text

    def click(self, selector, seconds=PATIENCE):
        """What stands there; a page that lives may exchange it just now."""
        end = time.monotonic() + seconds
        while True:
            try:
                return self.driver.find_element(By.CSS_SELECTOR, selector).click()
            except WebDriverException:
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)

    def press(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()

    def type_into(self, id_, text):
        box = self.find(id_)
        box.click()
        box.send_keys(text, Keys.ENTER)

    def place_of(self, name):
        """Of a node on the picture, in its pixels."""
        return self.run("return heddle.placeOf(arguments[0])", name)

    def move_to(self, x, y, click=False, shift=False):
        """On the picture."""
        box = self.find("map")
        actions = ActionChains(self.driver)
        # Selenium counts from the middle of an element.
        actions.move_to_element_with_offset(box, int(x - box.size["width"] / 2),
                                            int(y - box.size["height"] / 2))
        if shift:
            actions.key_down(Keys.SHIFT)
        if click:
            actions.click()
        if shift:
            actions.key_up(Keys.SHIFT)
        actions.perform()

    def pixel(self, canvas, x, y):
        """[red, green, blue, opacity] of a canvas."""
        return self.run("return [...document.getElementById(arguments[0]).getContext('2d')"
                        ".getImageData(arguments[1], arguments[2], 1, 1).data]",
                        canvas, int(x), int(y))

    def ink(self, x, y, reach=12):
        """How many colours there are around a point of the picture."""
        return self.run("""const [x, y, reach] = arguments;
            const {data} = document.getElementById("map").getContext("2d")
              .getImageData(x - reach, y - reach, 2 * reach, 2 * reach);
            return new Set(new Uint32Array(data.buffer)).size;""", int(x), int(y), reach)

    def expect_no_complaints(self, where=""):
        """The browser's console holds nothing but remarks; that a test reads pixels is one."""
        complaints = [entry["message"] for entry in self.driver.get_log("browser")
                      if entry["level"] in ("SEVERE", "WARNING")
                      and "willReadFrequently" not in entry["message"]]
        assert complaints == [], (where, complaints)

    def photograph(self, file):
        """As PNG; a file whose name ends so, as JPEG."""
        if Path(file).suffix != ".jpg":
            self.driver.save_screenshot(str(file))
            return
        taken = self.driver.execute_cdp_cmd("Page.captureScreenshot",
                                            {"format": "jpeg", "quality": 82})
        Path(file).write_bytes(base64.b64decode(taken["data"]))
