import Bytes
import Rows

/// Counts different values, by hashes of 128 bits. As DISTINCT has it, numbers of all kinds are compared by what they
/// are; as aggregates have it, null and NaN are no values.
final class DistinctValues: CollectedValues {
    private var hashes: Set<UInt128> = []
    private let sink: KeySink
    private let buffer = ByteBuffer(capacity: 64)

    override init(_ storage: ElementStorage) {
        sink = KeySink(storage)
        super.init(storage)
    }

    override func add(_ address: UnsafeRawPointer, _ byteCount: Int) {
        if Number(address, byteCount, storage)?.isNaN ?? false { return }
        _ = sink.receive(address, byteCount)
        if sink.value.storage == nil { return }
        buffer.removeAll()
        sink.append(to: buffer)
        hashes.insert(SipHash128.number(buffer.bytes))
    }

    /// A set has its elements, and a bit of each, in tables that are a quarter empty at least.
    override var byteCount: Int { hashes.capacity * 24 }

    override var result: AggregateState.Result {
        withUnsafeBytes(of: Int64(hashes.count)) { .stored(Array($0), .int) }
    }
}
