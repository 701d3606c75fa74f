import ObjectJSON

extension ObjectWriter {
    /// Leaves out what a reply or an event does not show of large collections.
    mutating func limitCollections(_ options: RESTOptions) {
        limitCollections(
            elementCountMax: options.collectionElementCountMax,
            byteCountMax: options.collectionByteCountMax)
    }
}
