import HoldfastStoreService

/// A page as a use case wrote it.
package struct WrittenPage: Sendable {
    /// The page.
    package let text: String
    /// The same as JSON; null when it is none.
    package let json: QueryJSON
    /// What it is beside that.
    package let reply: PageReply

    init(_ text: String, _ reply: PageReply) {
        self.text = text
        json = QueryJSON(text) ?? .null
        self.reply = reply
    }

    /// The ids of its objects.
    package var ids: [Int] {
        (json["objects"]?.elements ?? []).compactMap { $0["id"]?.int.map { Int($0) } }
    }

    /// The cursor of the next page.
    package var next: String? { json["next"]?.string }
}
