"""Tests of means whose samples come with no declared variance or range."""
