import HoldfastBytes

/// A row in its class's current layout that is being written at the end of a buffer.
struct OpenRow {
    let rowClass: RowClass
    let buffer: ByteBuffer
    /// The offset of the row in the buffer.
    private let start: Int

    /// Begins a row: its values are zero and its heap is empty.
    init(_ rowClass: RowClass, version: UInt64, in buffer: ByteBuffer) {
        self.rowClass = rowClass
        self.buffer = buffer
        start = buffer.count
        buffer.appendZeros(rowClass.layout.fixedByteCount)
        buffer.store(rowClass.layout.number, at: start)
        buffer.store(version, at: start + 8)
    }

    /// Returns the offset of a property's slot in the buffer.
    func slot(_ member: Int) -> Int { start + Int(rowClass.currentLocation(member).slot) }

    func setNull(_ member: Int) {
        let location = rowClass.currentLocation(member)
        let offset = start + Int(location.nullByte)
        buffer.store(buffer.bytes[offset] | location.nullMask, at: offset)
    }

    /// Stores the bytes of a value of fixed width: the first eight and the others.
    func store(_ low: UInt64, _ high: UInt64 = 0, at member: Int) {
        let slot = slot(member)
        switch rowClass.members[member].storage.slotByteCount {
        case 1: buffer.store(UInt8(truncatingIfNeeded: low), at: slot)
        case 4: buffer.store(UInt32(truncatingIfNeeded: low), at: slot)
        case 8: buffer.store(low, at: slot)
        case 12:
            buffer.store(low, at: slot)
            buffer.store(UInt32(truncatingIfNeeded: high), at: slot + 8)
        default:
            buffer.store(low, at: slot)
            buffer.store(high, at: slot + 8)
        }
    }

    /// Ends a value in the heap that began at `offset` of the buffer.
    ///
    /// - `flag`: ``RowLayout/overflowFlag`` for the reference to an out-of-line value.
    func close(_ member: Int, from offset: Int, flag: UInt32 = 0) {
        buffer.store(UInt32(offset - start), at: slot(member))
        buffer.store(UInt32(buffer.count - offset) | flag, at: slot(member) + 4)
    }

    /// Ends the row.
    ///
    /// - `holdsOverflow`: Whether a value of the row, or of one within it, is out of line.
    /// - `hidden`: The properties that are marked as hidden, see ``RowLayout``.
    func finish(holdsOverflow: Bool, hiding hidden: MemberSet = MemberSet()) {
        var flags = holdsOverflow ? RowLayout.holdsOverflowFlag : 0
        if !hidden.isEmpty {
            buffer.appendBits(rowClass.members.count) { hidden.contains($0) }
            flags |= RowLayout.hidesFlag
        }
        buffer.store(UInt32(buffer.count - start), at: start + 4)
        let last = buffer.bytes[start + 15] | UInt8(truncatingIfNeeded: flags >> 56)
        buffer.store(last, at: start + 15)
    }
}
