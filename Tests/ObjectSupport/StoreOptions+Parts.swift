import HoldfastObjectStore

extension StoreOptions {
    /// Has the engine get each commit of more than three changes in parts of three.
    package mutating func partCommits() {
        partedByteCountMin = 0
        partChangeCount = 3
    }
}
