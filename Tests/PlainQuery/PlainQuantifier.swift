/// How many of several values have to satisfy a comparison.
enum PlainQuantifier: String, CaseIterable {
    case any = "ANY"
    case some = "SOME"
    case all = "ALL"
    case none = "NONE"

    /// Whether as many of the values do.
    static func holds(
        _ quantifier: PlainQuantifier?, _ values: [some Any], _ test: (Int) -> Bool
    ) -> Bool {
        let count = values.indices.count { test($0) }
        switch quantifier ?? .any {
        case .any, .some: return count > 0
        case .all: return count == values.count
        case .none: return count == 0
        }
    }
}
