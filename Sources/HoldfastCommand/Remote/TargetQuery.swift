import HoldfastRESTAPI

/// The query of a request's target.
struct TargetQuery {
    private(set) var text = ""

    /// Adds a parameter.
    mutating func add(_ name: String, _ value: String) {
        text += (text.isEmpty ? "?" : "&") + name + "=" + ObjectPath.segment(value)
    }
}
