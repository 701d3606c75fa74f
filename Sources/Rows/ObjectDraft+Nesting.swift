extension ObjectDraft {
    /// Whether writing the draft writes other objects: a link in it, or in an embedded object of it, names
    /// its target in full.
    package var writesObjects: Bool {
        for reference in references {
            if case .child = reference.target { return true }
        }
        return children.contains { $0.writesObjects }
    }
}
