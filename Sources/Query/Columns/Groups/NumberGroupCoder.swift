import Bytes
import Rows

/// Codes of ints, bools, dates and doubles.
class NumberGroupCoder: GroupCoder {
    private let storage: ElementStorage
    private let table = CodeTable()
    private var nullCode: UInt32?
    /// The codes of the values of a chunk that lie close together, by their distance from the least.
    private var near: [UInt32] = []
    private var nearChunk = -1
    private let values = UnsafeMutablePointer<Int64>.allocate(capacity: ColumnBatch.countMax)

    /// Values that lie no farther apart are looked up by their distance.
    private static let nearCountMax: UInt64 = 1 << 12

    init(_ reference: ColumnReference, _ storage: ElementStorage) {
        self.storage = storage
        super.init(reference)
    }

    deinit { values.deallocate() }

    override func makePart() -> GroupCoder { NumberGroupCoder(reference, storage) }

    override var count: Int { table.count }

    override var byteCount: Int { table.byteCount }

    /// The number of a code; nil for null.
    final func number(_ code: Int) -> Int64? {
        nullCode == UInt32(truncatingIfNeeded: code) ? nil : table.numbers[code]
    }

    private func codeOfNull() -> UInt32 {
        let code = nullCode ?? table.codeOfNothing()
        nullCode = code
        return code
    }

    /// The code of a number, or of null.
    final func code(of number: Int64?) -> UInt32 {
        number.map { table.code(of: $0) } ?? codeOfNull()
    }

    final override func encode(_ batch: ColumnBatch, into codes: UnsafeMutablePointer<UInt32>) {
        switch chunk(of: batch) {
        case let chunk as NumberChunk: encode(batch, chunk, into: codes)
        case let chunk as DoubleChunk: encode(batch, chunk, into: codes)
        default: for index in batch.positions.indices { codes[index] = codeOfNull() }
        }
    }

    private func encode(
        _ batch: ColumnBatch, _ chunk: NumberChunk, into codes: UnsafeMutablePointer<UInt32>
    ) {
        let least = chunk.least
        let span = UInt64(bitPattern: chunk.greatest &- least)
        chunk.read(batch.positions, into: values)
        let isNear = span < Self.nearCountMax
        if isNear, nearChunk != batch.chunk {
            near = [UInt32](repeating: .max, count: Int(span) + 1)
            nearChunk = batch.chunk
        }
        near.withUnsafeMutableBufferPointer { near in
            for index in batch.positions.indices {
                if let nulls = chunk.nulls, nulls[Int(batch.positions[index])] != 0 {
                    codes[index] = codeOfNull()
                } else if isNear {
                    let distance = Int(truncatingIfNeeded: values[index] &- least)
                    if near[distance] == .max { near[distance] = table.code(of: values[index]) }
                    codes[index] = near[distance]
                } else {
                    codes[index] = table.code(of: values[index])
                }
            }
        }
    }

    private func encode(
        _ batch: ColumnBatch, _ chunk: DoubleChunk, into codes: UnsafeMutablePointer<UInt32>
    ) {
        for index in batch.positions.indices {
            let position = Int(batch.positions[index])
            if let nulls = chunk.nulls, nulls[position] != 0 {
                codes[index] = codeOfNull()
            } else {
                // One for both zeros.
                let bits = OrderedKey.orderedBits(chunk.value(position))
                codes[index] = table.code(of: Int64(bitPattern: bits))
            }
        }
    }

    final override func codes(of part: GroupCoder) -> [UInt32] {
        guard let part = part as? NumberGroupCoder else { return [] }
        return (0..<part.count).map { code in
            self.code(of: part.number(code))
        }
    }

    override func append(_ code: Int, to buffer: ByteBuffer) {
        guard let number = number(code) else { return OrderedKey.appendNull(to: buffer) }
        buffer.append(1 as UInt8)
        let bits = UInt64(bitPattern: number)
        switch storage {
        case .bool: buffer.append(UInt8(truncatingIfNeeded: number))
        case .date:
            let time = ColumnNumber.timestamp(number)
            buffer.append(big: UInt64(bitPattern: time.seconds) ^ 1 << 63)
            buffer.append(big: UInt32(bitPattern: time.nanoseconds))
        case .float:
            buffer.append(big: OrderedKey.orderedBits(Float(ComparedValue.double(bits))))
        case .double: buffer.append(big: bits)
        default: buffer.append(big: bits ^ 1 << 63)
        }
    }
}
