#!/bin/sh @executable@
echo never
