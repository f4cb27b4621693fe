"""The settings that the suite imports from its own folder."""

import os

STORAGE_ACCOUNT_NAME = os.environ["SUITE_ACCOUNT"]
STORAGE_ACCOUNT_KEY = os.environ["SUITE_KEY"]
CONNECTION_STRING = ""
PROTOCOL = "https"
IS_EMULATED = False
USE_PROXY = False
TEST_MODE = "RunLiveNoRecord"
