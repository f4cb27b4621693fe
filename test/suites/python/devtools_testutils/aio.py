"""The asynchronous part of the stand-in."""


def recorded_by_proxy_async(test):
    return test
