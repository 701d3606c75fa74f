import HoldfastRows

extension DraftGaps {
    /// The error of a write with a draft that has the gaps: `.nothingToKeep` or `.unstated`.
    func error(of draft: ObjectDraft, _ origin: WriteOrigin) -> StoreError {
        if hasNothingToKeep { return .nothingToKeep }
        var paths: [ObjectIdentifier: [DanglingLink.PathStep]] = [:]
        draft.forEachPart(at: origin.path) { paths[ObjectIdentifier($0)] = $1 }
        return .unstated(
            unstated.map { missing in
                let definition = missing.draft.rowClass.definition
                return UnstatedProperty(
                    className: definition.name,
                    property: definition.properties[missing.member].name,
                    takesUser: definition.properties[missing.member].defaultValue == .user,
                    path: paths[ObjectIdentifier(missing.draft)] ?? origin.path)
            })
    }
}

/// The origin of an object in a client's document, by which errors name it.
struct WriteOrigin {
    /// The operation or line of the transaction, by a number of the caller's.
    var source: Int
    /// The way from the object that the operation states.
    var path: [DanglingLink.PathStep] = []

    /// The origin of a value further inside.
    func appending(_ steps: [DanglingLink.PathStep]) -> WriteOrigin {
        WriteOrigin(source: source, path: path + steps)
    }
}
