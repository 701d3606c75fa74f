import Holdfast

/// How much a task matters; stored as its number, which orders and queries use.
enum Priority: Int, PersistableEnum, CustomStringConvertible {
    case low, normal, high

    init?(name: Substring) {
        guard let found = Self.allCases.first(where: { $0.description == name }) else { return nil }
        self = found
    }

    var description: String {
        switch self {
        case .low: "low"
        case .normal: "normal"
        case .high: "high"
        }
    }
}
