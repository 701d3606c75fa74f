/// One of the queries of a stream of several, from when it is added to when it is removed.
package final class FollowedQuery: @unchecked Sendable {
    // Unchecked: what varies is touched on the feed's thread alone.

    /// Its name among the others.
    package let name: String
    /// The followed query, as it was checked when it was added, or when it was last delivered live. A connection begins with it.
    package var checked: CheckedStream
    /// Bytes of the text that it was stated in.
    let byteCount: Int
    /// The generation of its stream that it was added in.
    var generation = 0
    /// The least version behind which a client knows of it: what has a lower id was told without it.
    var knownFrom: UInt64 = 0

    package init(_ name: String, _ checked: CheckedStream, byteCount: Int) {
        self.name = name
        self.checked = checked
        self.byteCount = byteCount
    }
}
