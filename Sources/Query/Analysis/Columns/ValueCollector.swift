import HoldfastBytes
import HoldfastRows

/// Collects single values, one after the other, until they are packed into a chunk.
final class ValueCollector {
    private let form: ColumnForm
    private let textByteCountMax: Int
    private(set) var count = 0
    private var numbers: [Int64] = []
    private var ends: [UInt32] = []
    private let texts = ByteBuffer(capacity: 1 << 16)
    /// Which values are null, and which are exceptions, up to the last one that is.
    private var nulls: [UInt8] = []
    private var exceptions: [UInt8] = []

    /// - `textByteCountMax`: A longer text is an exception.
    init(_ form: ColumnForm, textByteCountMax: Int = ColumnForm.textByteCountMax) {
        self.form = form
        self.textByteCountMax = textByteCountMax
    }

    var textByteCount: Int { texts.count }

    func removeAll() {
        count = 0
        numbers.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        texts.removeAll()
        nulls.removeAll(keepingCapacity: true)
        exceptions.removeAll(keepingCapacity: true)
    }

    /// Forgets the values from a position on.
    func truncate(_ count: Int) {
        let extra = self.count - count
        guard extra > 0 else { return }
        switch form {
        case .numbers: numbers.removeLast(extra)
        default:
            ends.removeLast(extra)
            texts.truncate(to: Int(ends.last ?? 0))
        }
        nulls.removeLast(max(0, nulls.count - count))
        exceptions.removeLast(max(0, exceptions.count - count))
        self.count = count
    }

    /// Marks the next value in a mask.
    private func mark(_ mask: inout [UInt8]) {
        mask.append(contentsOf: repeatElement(0, count: count - mask.count))
        mask.append(1)
    }

    /// A mask of all values; nil if no value is marked.
    private func whole(_ mask: [UInt8]) -> [UInt8]? {
        mask.isEmpty ? nil : mask + repeatElement(0, count: count - mask.count)
    }

    private func appendNothing() {
        switch form {
        case .numbers: numbers.append(0)
        default: ends.append(UInt32(truncatingIfNeeded: textByteCount))
        }
    }

    /// Appends null, or the placeholder of a key without an object.
    func appendNull(_ isNull: Bool = true) {
        appendNothing()
        if isNull { mark(&nulls) }
        count += 1
    }

    /// Appends a value that only its row has.
    func appendException() {
        appendNothing()
        mark(&exceptions)
        count += 1
    }

    /// Appends a stored value; false when it became an exception.
    @discardableResult
    func append(_ address: UnsafeRawPointer, _ byteCount: Int) -> Bool {
        switch form {
        case .numbers(let storage):
            guard let number = ColumnNumber.stored(address, storage) else {
                appendException()
                return false
            }
            numbers.append(number)
        default:
            guard byteCount <= textByteCountMax else {
                appendException()
                return false
            }
            texts.append(UnsafeRawBufferPointer(start: address, count: byteCount))
            ends.append(UInt32(truncatingIfNeeded: textByteCount))
        }
        count += 1
        return true
    }

    func append(_ position: Int, of chunk: ColumnChunk) {
        if chunk.nulls?[position] == 1 {
            appendNull()
        } else if chunk.exceptions?[position] == 1 {
            appendException()
        } else {
            chunk.withStored(position) { _ = append($0, $1) }
        }
    }

    /// Packs the collected values.
    func seal(_ meter: ColumnMeter) -> ColumnChunk {
        let (nulls, exceptions) = (whole(nulls), whole(exceptions))
        switch form {
        case .numbers(let storage):
            return NumberChunk(
                numbers, count: count, storage, nulls: nulls, exceptions: exceptions, meter: meter)
        default:
            return TextChunk(
                texts.bytes, ends: ends, count: count, nulls: nulls, exceptions: exceptions,
                meter: meter)
        }
    }
}
