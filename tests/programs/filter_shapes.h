// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

template <class T> struct Box
{
    T value;
    T get()
    {
        return value;
    }
};
