import HoldfastBytes

extension CollectionView {
    /// Appends a collection of `count` elements.
    ///
    /// - `append`: Appends the bytes of an element that is not null.
    static func append(
        count: Int, of element: ElementStorage, isNull: (Int) -> Bool, to buffer: ByteBuffer,
        _ append: (Int) -> Void
    ) {
        let nulls = (0..<count).filter(isNull)
        appendHead(count, nulls, to: buffer)
        let table = buffer.count
        let width = element.fixedByteCount
        if width == nil { buffer.appendZeros(4 * count) }
        let start = buffer.count
        for index in 0..<count {
            if nulls.isEmpty || !isNull(index) {
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
    private static func appendHead(_ count: Int, _ nulls: [Int], to buffer: ByteBuffer) {
        buffer.append(little: UInt32(count))
        buffer.append(little: (nulls.isEmpty ? 0 : 1) as UInt32)
        if !nulls.isEmpty { buffer.appendBits(nulls, of: count) }
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
        var count = 0
        var nulls: [Int] = []
        for slice in slices {
            if slice.view.nulls != nil {
                for index in slice.range where slice.view.isNull(index) {
                    nulls.append(count + index - slice.range.lowerBound)
                }
            }
            count += slice.range.count
        }
        appendHead(count, nulls, to: buffer)
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
    /// Appends a bitmap of `count` bits, the lowest of each byte first, of which those at some positions are set.
    func appendBits(_ positions: [Int], of count: Int) {
        let bitmap = self.count
        appendZeros((count + 7) / 8)
        for position in positions {
            let offset = bitmap + position / 8
            store(bytes[offset] | 1 << UInt8(position % 8), at: offset)
        }
    }
}
