import HoldfastBytes
import HoldfastObjectJSON
import HoldfastObjectStore

extension ObjectWriter {
    /// Leaves out what a reply or an event does not show of large collections.
    package mutating func limitCollections(_ limits: ServiceLimits) {
        limitCollections(
            elementCountMax: limits.collectionElementCountMax,
            byteCountMax: limits.collectionByteCountMax)
    }

    /// Writes a reply from a view, within the limits of replies and what its job may take.
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
