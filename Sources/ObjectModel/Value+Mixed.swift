extension Value {
    /// Whether a `mixed` property may have the value as its constant default: lists and maps nest no
    /// deeper than allowed, keys are allowed ones and stand once, and there are no links, which lead to
    /// objects that may go away.
    package var fitsMixed: Bool { fitsMixed(depth: 0) }

    private func fitsMixed(depth: Int) -> Bool {
        switch self {
        case .link: return false
        case .list(let values):
            return depth < ModelLimits.mixedDepthMax
                && values.allSatisfy { $0.fitsMixed(depth: depth + 1) }
        case .map(let entries):
            return depth < ModelLimits.mixedDepthMax
                && Set(entries.map { Array($0.key.utf8) }).count == entries.count
                && entries.allSatisfy {
                    MapKey.fault(of: $0.key) == nil && $0.value.fitsMixed(depth: depth + 1)
                }
        default: return true
        }
    }
}
