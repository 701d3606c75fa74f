import Glibc
import Rows

/// Collects single values, one after the other, until they are packed into a chunk.
final class ValueCollector {
    private let form: ColumnForm
    private(set) var count = 0
    private var numbers: [Int64] = []
    private var doubles: [Double] = []
    private var ends: [UInt32] = []
    private var texts: UnsafeMutableRawPointer
    private var textByteCount = 0
    private var textRoom = 1 << 16
    private var nulls: [UInt8] = []
    private var hasNull = false
    private var exceptions: [UInt8] = []
    private var hasException = false

    init(_ form: ColumnForm) {
        self.form = form
        texts = .allocate(byteCount: textRoom, alignment: 16)
    }

    deinit { texts.deallocate() }

    func removeAll() {
        count = 0
        numbers.removeAll(keepingCapacity: true)
        doubles.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        textByteCount = 0
        nulls.removeAll(keepingCapacity: true)
        exceptions.removeAll(keepingCapacity: true)
        (hasNull, hasException) = (false, false)
    }

    /// Forgets the values from a position on.
    func truncate(_ count: Int) {
        let extra = self.count - count
        guard extra > 0 else { return }
        switch form {
        case .numbers: numbers.removeLast(extra)
        case .doubles: doubles.removeLast(extra)
        default:
            ends.removeLast(extra)
            textByteCount = Int(ends.last ?? 0)
        }
        nulls.removeLast(extra)
        exceptions.removeLast(extra)
        self.count = count
    }

    private func note(null: Bool, exception: Bool) {
        nulls.append(null ? 1 : 0)
        exceptions.append(exception ? 1 : 0)
        if null { hasNull = true }
        if exception { hasException = true }
        count += 1
    }

    private func appendNothing() {
        switch form {
        case .numbers: numbers.append(0)
        case .doubles: doubles.append(0)
        default: ends.append(UInt32(truncatingIfNeeded: textByteCount))
        }
    }

    /// Appends null, or whatever stands for a key without an object.
    func appendNull(_ isNull: Bool = true) {
        appendNothing()
        note(null: isNull, exception: false)
    }

    /// Appends a value that only its row has.
    func appendException() {
        appendNothing()
        note(null: false, exception: true)
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
        case .doubles(let storage):
            let value = storage == .float ? Double(address.storedFloat) : address.storedDouble
            guard !value.isNaN else {
                appendException()
                return false
            }
            doubles.append(value)
        default:
            guard byteCount <= ColumnForm.textByteCountMax else {
                appendException()
                return false
            }
            if textByteCount + byteCount > textRoom {
                let larger = UnsafeMutableRawPointer.allocate(
                    byteCount: textRoom * 2, alignment: 16)
                memcpy(larger, texts, textByteCount)
                texts.deallocate()
                texts = larger
                textRoom *= 2
            }
            memcpy(texts + textByteCount, address, byteCount)
            textByteCount += byteCount
            ends.append(UInt32(truncatingIfNeeded: textByteCount))
        }
        note(null: false, exception: false)
        return true
    }

    /// Appends what a chunk has at a position.
    func append(_ position: Int, of chunk: ColumnChunk) {
        if chunk.nulls?[position] == 1 {
            appendNull()
        } else if chunk.exceptions?[position] == 1 {
            appendException()
        } else {
            chunk.withStored(position) { _ = append($0, $1) }
        }
    }

    /// Packs what was collected.
    func seal(_ meter: ColumnMeter) -> ColumnChunk {
        let nulls = hasNull ? nulls : nil
        let exceptions = hasException ? exceptions : nil
        switch form {
        case .numbers(let storage):
            return NumberChunk(
                numbers, count: count, storage, nulls: nulls, exceptions: exceptions, meter: meter)
        case .doubles(let storage):
            return DoubleChunk(
                doubles, count: count, storage, nulls: nulls, exceptions: exceptions, meter: meter)
        default:
            return TextChunk(
                UnsafeRawBufferPointer(start: texts, count: textByteCount), ends: ends,
                count: count, nulls: nulls, exceptions: exceptions, meter: meter)
        }
    }
}
