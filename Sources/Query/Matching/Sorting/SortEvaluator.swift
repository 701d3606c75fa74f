import HoldfastBytes
import HoldfastObjectModel
import HoldfastRows

/// Sort keys made ready for rows. One thread at a time uses it.
package final class SortEvaluator {
    private struct Key {
        var walker: PathWalker
        var sink: KeySink
        var direct: (rowClass: RowClass, member: Int, element: ElementStorage)?
        var isAscending: Bool
        /// Whether the value is a link: its null leaves an object out of DISTINCT.
        var isLinkPath: Bool
    }

    private let keys: [Key]
    private let paths: [ValuePath]

    package var isEmpty: Bool { keys.isEmpty }

    /// Makes keys ready.
    package init(_ keys: [SortKey], schema: RowSchema) {
        paths = keys.map(\.path)
        self.keys = keys.map { key in
            let storage = key.path.type.storage
            var direct: (rowClass: RowClass, member: Int, element: ElementStorage)?
            if let member = key.path.ownMember, storage != .link {
                direct = (schema.classes[key.path.lastClass], member, storage)
            }
            return Key(
                walker: PathWalker(key.path, schema: schema), sink: KeySink(storage),
                direct: direct, isAscending: key.isAscending, isLinkPath: storage == .link)
        }
    }

    /// Appends the values of all keys so that comparing bytes compares them: each in the encoding of ``OrderedKey``, inverted for
    /// descending order. No result is a prefix of another; append the object key to make the order total.
    ///
    /// - `textByteCountMax`: The length at which texts are cut. The uncut text later decides between objects with keys that
    ///   were cut equally.
    /// - Returns: Whether a long text was cut. Then equal beginnings do not decide: where either of
    ///   two objects has a cut key, use ``compare(_:_:_:_:_:)``.
    @discardableResult
    package func append(
        row: RowView, key: UInt64, source: any ObjectSource, to buffer: ByteBuffer,
        textByteCountMax: Int = OrderedKey.textByteCountMax
    ) -> Bool {
        var isCut = false
        for own in keys {
            let start = buffer.count
            if let direct = own.direct, textByteCountMax == OrderedKey.textByteCountMax {
                OrderedKey.append(
                    direct.rowClass.field(direct.member, in: row), direct.element, source,
                    to: buffer)
                let bytes = UnsafeRawBufferPointer(rebasing: buffer.bytes[start...])
                isCut = OrderedKey.isCut(bytes) || isCut
            } else {
                own.sink.take(own.walker, row, key, source)
                isCut = own.sink.append(to: buffer, textByteCountMax: textByteCountMax) || isCut
            }
            if !own.isAscending { Self.invert(from: start, in: buffer) }
        }
        return isCut
    }

    /// The classes of the objects that hold the links which keys count or aggregate behind, by position in the schema; each once.
    package func totalledClasses(_ schema: RowSchema) -> Set<Int> {
        Set(paths.compactMap { InverseTotals($0, schema: schema, keyEnd: 0)?.originClass })
    }

    /// Has the keys that count or aggregate behind inverse links take their values from totals.
    ///
    /// - `keyEnd`: No object has this object key or a greater one.
    /// - `fill`: Adds all objects of their classes; where it returns false, the links are walked as before.
    package func total(_ schema: RowSchema, keyEnd: Int, _ fill: ([InverseTotals]) -> Bool) {
        let totals = paths.map { InverseTotals($0, schema: schema, keyEnd: keyEnd) }
        guard fill(totals.compactMap { $0 }) else { return }
        for (key, own) in zip(keys, totals) { key.sink.totals = own }
    }

    /// Appends the keys of a value, where values are sorted, like ``append(row:key:source:to:textByteCountMax:)``; nil for null.
    @discardableResult
    package func append(
        value: UnsafeRawBufferPointer?, to buffer: ByteBuffer,
        textByteCountMax: Int = OrderedKey.textByteCountMax
    ) -> Bool {
        var isCut = false
        for own in keys {
            let start = buffer.count
            own.sink.take(own.walker, value: value)
            isCut = own.sink.append(to: buffer, textByteCountMax: textByteCountMax) || isCut
            if !own.isAscending { Self.invert(from: start, in: buffer) }
        }
        return isCut
    }

    /// Inverts the bytes of a descending key.
    static func invert(from start: Int, in buffer: ByteBuffer) {
        for offset in start..<buffer.count { buffer.store(~buffer.bytes[offset], at: offset) }
    }

    /// Appends the values for DISTINCT.
    ///
    /// - Returns: Whether the object takes part; one with a null link on the way to a value does not.
    package func appendDistinct(
        row: RowView, key: UInt64, source: any ObjectSource, to buffer: ByteBuffer
    ) -> Bool {
        for own in keys {
            own.sink.take(own.walker, row, key, source)
            if own.sink.wasMissing || (own.isLinkPath && own.sink.value.storage == nil) {
                return false
            }
            own.sink.append(to: buffer)
        }
        return true
    }

    /// Compares two objects by the whole values of all keys: negative, 0 or positive.
    package func compare(
        _ rowA: RowView, _ keyA: UInt64, _ rowB: RowView, _ keyB: UInt64, _ source: any ObjectSource
    ) -> Int {
        compare { own, isFirst in
            own.sink.take(own.walker, isFirst ? rowA : rowB, isFirst ? keyA : keyB, source)
        }
    }

    /// Compares two values, where values are sorted; nil for null.
    package func compare(_ a: UnsafeRawBufferPointer?, _ b: UnsafeRawBufferPointer?) -> Int {
        compare { own, isFirst in own.sink.take(own.walker, value: isFirst ? a : b) }
    }

    @inline(__always)
    private func compare(_ take: (_ key: Key, _ isFirst: Bool) -> Void) -> Int {
        for own in keys {
            take(own, true)
            let first = own.sink.value
            take(own, false)
            let order = ComparedValue.sortOrder(first, own.sink.value)
            if order != 0 { return own.isAscending ? order : -order }
        }
        return 0
    }
}
