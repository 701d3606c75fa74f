import HoldfastBytes
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows

extension CollectionPage {
    /// The bytes that an element is sorted by.
    func sortBytes(
        _ candidate: Candidate, _ value: UnsafeRawBufferPointer?, _ order: SortEvaluator,
        _ buffer: ByteBuffer
    ) -> [UInt8] {
        buffer.removeAll()
        if let row = candidate.row {
            order.append(row: row, key: candidate.key, source: read, to: buffer)
        } else {
            order.append(value: value, to: buffer)
        }
        return buffer.array
    }

    /// Whether `a` comes before `b`: by their sort values, and then by position.
    func isBefore(_ a: Candidate, _ b: Candidate, _ order: SortEvaluator) -> Bool {
        let result = compare(a, b, order)
        if result != 0 { return result < 0 }
        return (a.origin?.classNumber ?? 0, a.position, a.origin?.repetition ?? 0)
            < (b.origin?.classNumber ?? 0, b.position, b.origin?.repetition ?? 0)
    }

    /// Compares two elements by their sort values: negative, 0 or positive.
    func compare(_ a: Candidate, _ b: Candidate, _ order: SortEvaluator) -> Int {
        var result = compare(a.sortBytes, b.sortBytes)
        if result != 0, mayBeCut(a.sortBytes), mayBeCut(b.sortBytes) {
            if let left = a.row, let right = b.row {
                result = order.compare(left, a.key, right, b.key, read)
            } else {
                result = order.compare(value(a), value(b))
            }
        }
        return result
    }

    /// Whether an element comes behind the last of the page before.
    func comesAfter(_ candidate: Candidate, _ cursor: PageCursor, _ order: SortEvaluator) -> Bool {
        let position = cursor.position
        var result = compare(candidate.sortBytes, position.sortBytes)
        if result != 0, !position.wholeBytes.isEmpty, mayBeCut(candidate.sortBytes) {
            result = compare(wholeBytes(candidate, order).bytes, position.wholeBytes)
        }
        if result != 0 { return result > 0 }
        guard let origin = candidate.origin else { return candidate.position > position.key }
        return (origin.classNumber, candidate.position, origin.repetition)
            > (cursor.origin.classNumber, position.key, cursor.origin.repetition)
    }

    /// The position of an element, for a cursor.
    func position(_ candidate: Candidate, _ order: SortEvaluator) -> QueryPosition {
        var position = QueryPosition(sortBytes: candidate.sortBytes, key: candidate.position)
        if !order.isEmpty, mayBeCut(candidate.sortBytes) {
            let (whole, isCut) = wholeBytes(candidate, order)
            if !isCut, whole.count <= QueryPosition.wholeByteCountMax {
                position.wholeBytes = whole
            }
        }
        return position
    }

    private func wholeBytes(_ candidate: Candidate, _ order: SortEvaluator) -> (
        bytes: [UInt8], isCut: Bool
    ) {
        let buffer = ByteBuffer(capacity: 1024)
        let isCut: Bool
        if let row = candidate.row {
            isCut = order.append(
                row: row, key: candidate.key, source: read, to: buffer,
                textByteCountMax: QueryPosition.wholeByteCountMax)
        } else {
            isCut = order.append(
                value: value(candidate), to: buffer,
                textByteCountMax: QueryPosition.wholeByteCountMax)
        }
        return (buffer.array, isCut)
    }

    func value(_ candidate: Candidate) -> UnsafeRawBufferPointer? {
        let collection = owner.collection(member, in: row, read)
        guard let (part, offset) = collection.element(Int(candidate.position)) else { return nil }
        return part.isNull(offset) ? nil : part.bytes(offset)
    }

    private func mayBeCut(_ sortBytes: [UInt8]) -> Bool {
        sortBytes.count > OrderedKey.textByteCountMax
    }

    private func compare(_ a: [UInt8], _ b: [UInt8]) -> Int {
        a.withUnsafeBytes { left in b.withUnsafeBytes { compareKeys(left, $0) } }
    }
}
