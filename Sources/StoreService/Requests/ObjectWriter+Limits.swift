import HoldfastBytes
import HoldfastObjectJSON
import HoldfastObjectStore

extension ObjectWriter {
    /// Limits the elements of large collections that a reply or an event shows.
    package mutating func limitCollections(_ limits: ServiceLimits) {
        limitCollections(
            elementCountMax: limits.collectionElementCountMax,
            byteCountMax: limits.collectionByteCountMax)
    }

    /// Writes a reply from a view, within the limits of replies and of its job.
    package init(
        _ buffer: ByteBuffer, _ names: SchemaNames, _ read: ReadTransaction,
        _ limits: ServiceLimits, quotesLargeInts: Bool
    ) {
        self.init(buffer, names: names, read: read, epoch: read.epoch)
        self.quotesLargeInts = quotesLargeInts
        limitCollections(limits)
        byteCountMax = limits.memoryByteCountMax(of: read)
    }
}
