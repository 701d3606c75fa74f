import Bytes
import ObjectModel
import Rows

/// Sort keys made ready for rows. One thread at a time uses it.
package final class SortEvaluator {
    private struct Key {
        var walker: PathWalker
        var sink: KeySink
        var direct: (rowClass: RowClass, member: Int, element: ElementStorage)?
        var isAscending: Bool
        /// Whether the value is a link, whose null leaves an object out of DISTINCT.
        var isLinkPath: Bool
        /// Whether it is the byte count of a value, where values are sorted.
        var isSubjectCount: Bool
    }

    private let keys: [Key]

    /// Makes keys ready.
    package init(_ keys: [SortKey], schema: RowSchema) {
        self.keys = keys.map { key in
            let storage = key.path.type.storage
            var direct: (rowClass: RowClass, member: Int, element: ElementStorage)?
            if case .value(let member) = key.path.terminal, key.path.steps.isEmpty, storage != .link
            {
                direct = (schema.classes[key.path.lastClass], member, storage)
            }
            return Key(
                walker: PathWalker(key.path, schema: schema), sink: KeySink(storage),
                direct: direct, isAscending: key.isAscending,
                isLinkPath: storage == .link,
                isSubjectCount: key.path.terminal == .subjectByteCount)
        }
    }

    /// Appends the values of all keys so that comparing bytes compares them: each in the encoding of
    /// ``OrderedKey``, inverted for descending order. No result is a prefix of another; append the
    /// object key to make the order total.
    ///
    /// - Returns: Whether a long text was cut. Then equal beginnings do not decide: where either of
    ///   two objects has a cut key, use ``compare(_:_:_:_:_:)``.
    @discardableResult
    package func append(
        row: RowView, key: UInt64, source: any ObjectSource, to buffer: ByteBuffer
    ) -> Bool {
        var isCut = false
        for own in keys {
            let start = buffer.count
            if let direct = own.direct {
                OrderedKey.append(
                    direct.rowClass.field(direct.member, in: row), direct.element, source,
                    to: buffer)
            } else {
                own.sink.take(own.walker, row, key, source)
                own.sink.append(to: buffer)
            }
            isCut = Self.finish(own, from: start, in: buffer) || isCut
        }
        return isCut
    }

    /// Appends the values of all keys like ``append(row:key:source:to:)``, but cuts texts later: what
    /// is not cut here decides between objects whose keys were cut alike.
    ///
    /// - Returns: Whether a text was cut all the same.
    package func append(
        row: RowView, key: UInt64, source: any ObjectSource, to buffer: ByteBuffer,
        textByteCountMax: Int
    ) -> Bool {
        var isCut = false
        for own in keys {
            own.sink.take(own.walker, row, key, source)
            isCut = Self.append(own, to: buffer, textByteCountMax) || isCut
        }
        return isCut
    }

    /// Appends the keys of a value, where values are sorted, with texts cut later; nil for null.
    ///
    /// - Returns: Whether a text was cut all the same.
    package func append(
        value: UnsafeRawBufferPointer?, to buffer: ByteBuffer, textByteCountMax: Int
    ) -> Bool {
        var isCut = false
        for own in keys {
            own.sink.take(subject: value, countsBytes: own.isSubjectCount)
            isCut = Self.append(own, to: buffer, textByteCountMax) || isCut
        }
        return isCut
    }

    private static func append(_ key: Key, to buffer: ByteBuffer, _ textByteCountMax: Int) -> Bool {
        let start = buffer.count
        let isCut = key.sink.append(to: buffer, textByteCountMax: textByteCountMax)
        invert(key, from: start, in: buffer)
        return isCut
    }

    /// Appends the keys of a value, where values are sorted; nil for null.
    @discardableResult
    package func append(value: UnsafeRawBufferPointer?, to buffer: ByteBuffer) -> Bool {
        var isCut = false
        for own in keys {
            let start = buffer.count
            own.sink.take(subject: value, countsBytes: own.isSubjectCount)
            own.sink.append(to: buffer)
            isCut = Self.finish(own, from: start, in: buffer) || isCut
        }
        return isCut
    }

    private static func finish(_ key: Key, from start: Int, in buffer: ByteBuffer) -> Bool {
        let bytes = UnsafeRawBufferPointer(rebasing: buffer.bytes[start...])
        let isCut = OrderedKey.isCut(bytes)
        invert(key, from: start, in: buffer)
        return isCut
    }

    /// Inverts the bytes of a descending key.
    private static func invert(_ key: Key, from start: Int, in buffer: ByteBuffer) {
        guard !key.isAscending else { return }
        let bytes = UnsafeRawBufferPointer(rebasing: buffer.bytes[start...])
        for offset in start..<buffer.count {
            buffer.store(~bytes[offset - start], at: offset)
        }
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
        _ rowA: RowView, _ keyA: UInt64, _ rowB: RowView, _ keyB: UInt64,
        _ source: any ObjectSource
    ) -> Int {
        for own in keys {
            own.sink.take(own.walker, rowA, keyA, source)
            let first = own.sink.value
            own.sink.take(own.walker, rowB, keyB, source)
            let order = ComparedValue.sortOrder(first, own.sink.value)
            if order != 0 { return own.isAscending ? order : -order }
        }
        return 0
    }

    /// Compares two values, where values are sorted; nil for null.
    package func compare(_ a: UnsafeRawBufferPointer?, _ b: UnsafeRawBufferPointer?) -> Int {
        for own in keys {
            own.sink.take(subject: a, countsBytes: own.isSubjectCount)
            let first = own.sink.value
            own.sink.take(subject: b, countsBytes: own.isSubjectCount)
            let order = ComparedValue.sortOrder(first, own.sink.value)
            if order != 0 { return own.isAscending ? order : -order }
        }
        return 0
    }
}
