"""Tests of sites: does a page keep what its manifest promises?"""
