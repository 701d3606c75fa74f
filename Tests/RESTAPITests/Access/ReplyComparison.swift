import HoldfastServiceSupport
import HoldfastTestSupport

@testable import HoldfastRESTAPI

/// Compares replies to a user with replies from a store without the hidden data. Versions, cursors, entity tags and times are ignored, and so is
/// the sentence that each unknown class has for users.
struct ReplyComparison {
    /// The properties that may be left out where the other reply has nothing.
    let hidden: Set<String>

    private static let aside: Set<String> = [
        "version", "$version", "next", "cursor", "etag", "revision",
    ]

    /// What is different; nil for nothing.
    func difference(_ own: [HTTPClient.Reply], _ other: [HTTPClient.Reply]) -> String? {
        for (own, other) in zip(own, other) {
            if let found = difference(own, other) { return found }
        }
        return own.count == other.count
            ? nil : "\(own.count) pages, expected \(other.count): \(own.last?.text ?? "")"
    }

    private func difference(_ own: HTTPClient.Reply, _ other: HTTPClient.Reply) -> String? {
        guard own.status == other.status,
            own.headers["content-type"] == other.headers["content-type"],
            own.headers["allow"] == other.headers["allow"], names(own) == names(other)
        else {
            return
                "\(own.status) \(names(own)) \(own.text.prefix(600)), expected \(other.status) \(names(other)) \(other.text.prefix(600))"
        }
        let lines = (own.text.split(separator: "\n"), other.text.split(separator: "\n"))
        if own.headers["content-type"]?.contains("ndjson") == true {
            guard lines.0.count == lines.1.count else {
                return "\(lines.0.count) lines, expected \(lines.1.count)"
            }
            for (own, other) in zip(lines.0, lines.1) {
                if let found = difference(String(own), String(other)) { return found }
            }
            return nil
        }
        return difference(
            own.text.replacing(RESTService.accessHint, with: ""), other.text)
    }

    /// The names of the header, but for those that depend on the body's length.
    private func names(_ reply: HTTPClient.Reply) -> [String] {
        let aside = ["content-length", "transfer-encoding", "vary"]
        return reply.headers.keys.filter { !aside.contains($0) }.sorted()
    }

    private func difference(_ own: String, _ other: String) -> String? {
        if own == other { return nil }
        guard let own = QueryJSON(own), let other = QueryJSON(other) else {
            return "\(own.prefix(600))\nexpected\n\(other.prefix(600))"
        }
        return JSONComparison(aside: Self.aside, hidden: hidden).difference(own, other)
    }
}
