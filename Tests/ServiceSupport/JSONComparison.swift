/// Compares what a user is told with what somebody is told who has nothing else: what is hidden is left out, which is null or empty
/// there.
package struct JSONComparison {
    private let aside: Set<String>
    private let hidden: Set<String>

    /// - `aside`: The members whose values are not compared.
    /// - `hidden`: The properties that may be left out where the other has nothing.
    package init(aside: Set<String>, hidden: Set<String>) {
        self.aside = aside
        self.hidden = hidden
    }

    /// What is different, with its place; nil for nothing.
    package func difference(
        _ own: QueryJSON, _ other: QueryJSON, _ path: String = ""
    ) -> String? {
        switch (own, other) {
        case (.object(let own), .object(let other)):
            for name in Set(own.keys).union(other.keys).sorted() {
                let (value, expected) = (own[name], other[name])
                if aside.contains(name) {
                    if (value == nil) == (expected == nil) { continue }
                } else if let value, let expected {
                    guard let inner = difference(value, expected, path + "/" + name) else {
                        continue
                    }
                    return inner
                } else if let expected, hidden.contains(name),
                    [.null, .array([]), .object([:])].contains(expected)
                {
                    continue
                }
                return "\(path)/\(name): \(text(value)), expected \(text(expected))"
            }
            return nil
        case (.array(let own), .array(let other)) where own.count == other.count:
            for (index, pair) in zip(own, other).enumerated() {
                if let inner = difference(pair.0, pair.1, "\(path)/\(index)") { return inner }
            }
            return nil
        default:
            return own == other ? nil : "\(path): \(text(own)), expected \(text(other))"
        }
    }

    private func text(_ json: QueryJSON?) -> String {
        json.map {
            String("\($0)".replacing("HoldfastServiceSupport.QueryJSON.", with: "").prefix(500))
        } ?? "nothing"
    }
}
