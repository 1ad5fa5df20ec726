"""Reads the table of a working space into its named parts, in compiled code.

The one module that knows how numba lays out arrays. `workspace` must not: it is read before numba is loaded.

The table lists of each array its address and its sides (`solver.kernel.workspace.addresses`). To read it takes 0.1 us.
To pass the arrays one by one would take 3 us, as long as all of the analysis of a small board; to cut them out of one
large array takes 0.4 us, and three times as long to compile.
"""

from __future__ import annotations

from itertools import count

import numpy as np
from numba import from_dtype, types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np import arrayobj

from solver.kernel.workspace import declared


def named(kind):
    """Make a function that compiled code calls to read a table.

    Args:
        kind: a class of named parts, such as `solver.kernel.workspace.Workspace`.

    Returns:
        The function: from the table, an int64 array, to the named tuple of arrays. What is not used of it costs
        nothing. The arrays are held by whoever made the table.
    """
    made = _type_of(kind)

    @intrinsic
    def read_table(_, table):
        return made(table), _read

    return read_table


def _type_of(kind):
    """The compiled type of a class of named parts, or of an array that is declared."""
    if isinstance(kind, type):
        return types.BaseTuple.from_types([_type_of(part) for part in declared(kind)], kind)
    dtype, *sides = kind.__metadata__
    item = from_dtype(np.dtype(dtype))
    return types.Array(item, len(sides), "C") if sides else item


def _read(context, builder, signature, arguments):
    """Write the instructions that read a table, word by word in the order of the parts."""
    words = arrayobj.make_array(signature.args[0])(context, builder, arguments[0]).data
    place = count()

    def next_word():
        return builder.load(cgutils.gep(builder, words, next(place)))

    def make(kind):
        if isinstance(kind, types.BaseTuple):
            return context.make_tuple(builder, kind, [make(part) for part in kind])
        address = next_word()
        if isinstance(kind, types.Record):
            return builder.inttoptr(address, context.get_value_type(kind))
        array = arrayobj.make_array(kind)(context, builder)
        shape = [next_word() for _ in range(kind.ndim)]
        item_size = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
        strides = [item_size]
        for side in shape[:0:-1]:
            strides.insert(0, builder.mul(side, strides[0]))
        data = builder.inttoptr(address, array.data.type)
        arrayobj.populate_array(array, data, shape, strides, item_size, meminfo=None)
        return array._getvalue()  # noqa: SLF001 - numba has no public name for it

    return make(signature.return_type)
