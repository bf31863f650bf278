# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes gmon.out files, well-formed or not, and minimal ELF images for them.

Used by the differential tests of fcgprof; independent of its C code.
"""
import struct


class Layout:
    """How numbers lie in a file: byte order and size of an address."""

    def __init__(self, bits=64, big=False):
        self.bits = bits
        self.big = big
        self.order = '>' if big else '<'

    def u8(self, value):
        return struct.pack('B', value & 0xff)

    def u16(self, value):
        return struct.pack(self.order + 'H', value & 0xffff)

    def u16s(self, values):
        return struct.pack(f'{self.order}{len(values)}H', *(v & 0xffff for v in values))

    def u32(self, value):
        return struct.pack(self.order + 'I', value & 0xffffffff)

    def addr(self, value):
        if self.bits == 32:
            return self.u32(value)
        return struct.pack(self.order + 'Q', value & 0xffffffffffffffff)


def header(layout, version=1, magic=b'gmon'):
    return magic + layout.u32(version) + bytes(12)


def hist(layout, low, high, bins, rate=100, dimension=b'seconds', abbreviation=b's'):
    return (b'\0' + layout.addr(low) + layout.addr(high) + layout.u32(len(bins)) +
            layout.u32(rate) + dimension.ljust(15, b'\0')[:15] + abbreviation +
            layout.u16s(bins))


def arc(layout, source, target, count):
    return b'\1' + layout.addr(source) + layout.addr(target) + layout.u32(count)


def blocks(layout, counts):
    """The number of blocks lies in the reading machine's order, not in the image's."""
    return (b'\2' + struct.pack('=I', len(counts)) +
            b''.join(layout.addr(a) + layout.addr(c) for a, c in counts))


def blocks_v0(layout, name, counts):
    """All of it lies in the reading machine's order and width."""
    return (b'\2' + struct.pack('=I', len(counts)) + name + b'\0' +
            b''.join(struct.pack('=QQ', c, a) + b'file\0func\0' + struct.pack('=I', 7)
                     for a, c in counts))


def old_layout(layout, low, high, bins, arcs, rate=None):
    """BSD's layout; 4.4BSD's if there is a rate."""
    header_bytes = (20 if layout.bits == 64 else 12) + (20 if rate is not None else 0)
    data = layout.addr(low) + layout.addr(high) + layout.u32(header_bytes + 2 * len(bins))
    if rate is not None:
        data += layout.u32(0x00051879) + layout.u32(rate) + bytes(12)
    data += layout.u16s(bins)
    return data + b''.join(layout.addr(f) + layout.addr(t) + layout.addr(c) for f, t, c in arcs)


STT = {'notype': 0, 'object': 1, 'func': 2, 'section': 3, 'file': 4, 'common': 5, 'tls': 6,
       'ifunc': 10}
STB = {'local': 0, 'global': 1, 'weak': 2, 'unique': 10}


class Image:
    """An ELF object with .init, .text, .fini, .data and the symbols given."""

    # The last two of code have names that tell of something else: to gprof .pdata is no code.
    SECTIONS = ['', '.init', '.text', '.fini', '.data', '.bss', '.plugin', '.rodata.x', '.pdata.x',
                '.symtab', '.strtab', '.shstrtab']

    def __init__(self, layout, text, text_addr=0x401000, machine=62, kind=2):
        self.layout = layout
        self.text = text
        self.text_addr = text_addr
        self.machine = machine
        self.kind = kind
        self.symbols = []
        self.addresses = {'.init': text_addr - 0x100, '.text': text_addr,
                          '.fini': (text_addr + len(text) + 15) & ~15,
                          '.data': text_addr + len(text) + 0x1000,
                          '.bss': text_addr + len(text) + 0x2000,
                          '.plugin': text_addr + len(text) + 0x400,
                          '.rodata.x': text_addr + len(text) + 0x500,
                          '.pdata.x': text_addr + len(text) + 0x600}
        self.sizes = {'.init': 0x20, '.text': len(text), '.fini': 0x20, '.data': 0x40,
                      '.bss': 0x40, '.plugin': 0x80, '.rodata.x': 0x20, '.pdata.x': 0x20}

    def add(self, name, addr, kind='func', bind='global', section='.text', size=0, visibility=0):
        self.symbols.append((name, addr, kind, bind, section, size, visibility))

    def _symtab(self, strings):
        layout = self.layout
        entry = bytes(24 if layout.bits == 64 else 16)
        out = [entry]
        for name, addr, kind, bind, section, size, visibility in self.symbols:
            offset = len(strings) if name else 0
            if name:
                strings += name.encode() + b'\0'
            index = {'abs': 0xfff1, 'common': 0xfff2, 'undef': 0}.get(section)
            if index is None:
                index = self.SECTIONS.index(section)
            info = STB[bind] << 4 | STT[kind]
            if layout.bits == 64:
                out.append(layout.u32(offset) + layout.u8(info) + layout.u8(visibility) +
                           layout.u16(index) + layout.addr(addr) + layout.addr(size))
            else:
                out.append(layout.u32(offset) + layout.addr(addr) + layout.addr(size) +
                           layout.u8(info) + layout.u8(visibility) + layout.u16(index))
        return b''.join(out)

    def write(self, path):
        layout = self.layout
        wide = layout.bits == 64
        strings, names = bytearray(b'\0'), bytearray(b'\0')
        symtab = self._symtab(strings)
        header_bytes, entry = (64, 64) if wide else (52, 40)
        contents = {'.init': b'\x90' * 0x20, '.text': self.text, '.fini': b'\x90' * 0x20,
                    '.data': bytes(0x40), '.plugin': b'\x90' * 0x80, '.rodata.x': b'\x90' * 0x20,
                    '.pdata.x': b'\x90' * 0x20, '.symtab': symtab, '.strtab': bytes(strings)}
        flags = {'.init': 6, '.text': 6, '.fini': 6, '.plugin': 6, '.rodata.x': 6, '.pdata.x': 6,
                 '.data': 3, '.bss': 3}
        types = {'.symtab': 2, '.strtab': 3, '.shstrtab': 3, '.bss': 8}
        offsets = {}
        for section in self.SECTIONS[1:]:
            offsets[section] = len(names)
            names += section.encode() + b'\0'
        contents['.shstrtab'] = bytes(names)
        body, places = bytearray(), {}
        for section in self.SECTIONS[1:]:
            while (header_bytes + len(body)) % 16:
                body += b'\0'
            places[section] = header_bytes + len(body)
            body += contents.get(section, b'')
        while (header_bytes + len(body)) % 16:
            body += b'\0'
        n_local = 1 + sum(1 for s in self.symbols if s[3] == 'local')
        table = bytes(entry)
        for section in self.SECTIONS[1:]:
            size = self.sizes.get(section, len(contents.get(section, b'')))
            is_symtab = section == '.symtab'
            link = self.SECTIONS.index('.strtab') if is_symtab else 0
            unit = (24 if wide else 16) if is_symtab else 0
            table += (layout.u32(offsets[section]) + layout.u32(types.get(section, 1)) +
                      layout.addr(flags.get(section, 0)) +
                      layout.addr(self.addresses.get(section, 0)) + layout.addr(places[section]) +
                      layout.addr(size) + layout.u32(link) +
                      layout.u32(n_local if is_symtab else 0) + layout.addr(1) +
                      layout.addr(unit))
        ident = b'\x7fELF' + bytes([2 if wide else 1, 2 if layout.big else 1, 1]) + bytes(9)
        elf = (ident + layout.u16(self.kind) + layout.u16(self.machine) + layout.u32(1) +
               layout.addr(self.text_addr) + layout.addr(0) +
               layout.addr(header_bytes + len(body)) + layout.u32(0) + layout.u16(header_bytes) +
               layout.u16(56 if wide else 32) + layout.u16(0) + layout.u16(entry) +
               layout.u16(len(self.SECTIONS)) + layout.u16(self.SECTIONS.index('.shstrtab')))
        with open(path, 'wb') as out:
            out.write(elf + bytes(body) + table)
