import ObjectJSON

extension ObjectWriter {
    /// Leaves out what a reply or an event does not show of large collections.
    package mutating func limitCollections(_ limits: ServiceLimits) {
        limitCollections(
            elementCountMax: limits.collectionElementCountMax,
            byteCountMax: limits.collectionByteCountMax)
    }
}
