import HoldfastBytes

extension CollectionView {
    /// Appends a collection of `count` elements.
    ///
    /// - `append`: Appends the bytes of an element that is not null.
    static func append(
        count: Int, of element: ElementStorage, isNull: (Int) -> Bool, to buffer: ByteBuffer,
        _ append: (Int) -> Void
    ) {
        let hasNull = (0..<count).contains(where: isNull)
        appendHead(count, hasNull, isNull, to: buffer)
        let table = buffer.count
        let width = element.fixedByteCount
        if width == nil { buffer.appendZeros(4 * count) }
        let start = buffer.count
        for index in 0..<count {
            if !hasNull || !isNull(index) {
                append(index)
            } else if let width {
                buffer.appendZeros(width)
            }
            if width == nil {
                buffer.store(UInt32(buffer.count - start), at: table + 4 * index)
            }
        }
    }

    /// Appends what lies before the elements and the table of their ends: the number of elements, and which are null.
    @inline(__always)
    private static func appendHead(
        _ count: Int, _ hasNull: Bool, _ isNull: (Int) -> Bool, to buffer: ByteBuffer
    ) {
        buffer.append(little: UInt32(count))
        buffer.append(little: (hasNull ? 1 : 0) as UInt32)
        if hasNull { buffer.appendBits(count, where: isNull) }
    }

    /// The bytes that an element has in the table of ends.
    var tableByteCount: Int { stride > 0 ? 0 : 4 }

    /// Returns the end of the elements before `index`, counted from the first one's beginning.
    private func offset(_ index: Int) -> Int {
        if stride > 0 { return index * stride }
        if index == 0 { return 0 }
        return min(
            Int(ends.loadUnaligned(fromByteOffset: 4 * index - 4, as: UInt32.self)), byteCount)
    }

    /// Returns the bytes of neighbouring elements, without tables.
    package func byteCount(_ range: Range<Int>) -> Int {
        max(offset(range.upperBound) - offset(range.lowerBound), 0)
    }

    /// Appends neighbouring elements of collections of one kind as one collection.
    package static func append(
        _ slices: [(view: CollectionView, range: Range<Int>)], to buffer: ByteBuffer
    ) {
        let count = slices.reduce(0) { $0 + $1.range.count }
        let hasNull = slices.contains { slice in
            slice.view.nulls != nil && slice.range.contains { slice.view.isNull($0) }
        }
        var next = (slice: 0, offset: 0)
        func isNextNull(_: Int) -> Bool {
            while next.offset == slices[next.slice].range.count { next = (next.slice + 1, 0) }
            let (view, range) = slices[next.slice]
            next.offset += 1
            return view.isNull(range.lowerBound + next.offset - 1)
        }
        appendHead(count, hasNull, isNextNull, to: buffer)
        if let first = slices.first, first.view.stride == 0 {
            var end = 0
            for slice in slices {
                let start = slice.view.offset(slice.range.lowerBound)
                for index in slice.range {
                    buffer.append(little: UInt32(end + slice.view.offset(index + 1) - start))
                }
                end += slice.view.byteCount(slice.range)
            }
        }
        for slice in slices {
            let start = slice.view.offset(slice.range.lowerBound)
            buffer.append(
                UnsafeRawBufferPointer(
                    start: slice.view.start + start, count: slice.view.byteCount(slice.range)))
        }
    }
}

extension ByteBuffer {
    /// Appends a bitmap of `count` bits, the lowest of each byte first.
    ///
    /// - `isSet`: Asked once of each position, in order.
    @inline(__always)
    func appendBits(_ count: Int, where isSet: (Int) -> Bool) {
        let bitmap = self.count
        appendZeros((count + 7) / 8)
        for position in 0..<count where isSet(position) {
            let offset = bitmap + position / 8
            store(bytes[offset] | 1 << UInt8(position % 8), at: offset)
        }
    }
}
