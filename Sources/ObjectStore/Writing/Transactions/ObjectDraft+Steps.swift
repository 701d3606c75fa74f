import HoldfastRows

// The paths to the parts of a draft, for faults.
extension ObjectDraft {
    /// The way from an object to one of its links.
    func steps(to link: DraftReference) -> [DanglingLink.PathStep] {
        let name = rowClass.definition.properties[link.member].name
        if link.mixedOffset != nil {
            return [.property(name)]
                + mixedPath(to: link).map { step in
                    switch step {
                    case .index(let index): .element(index)
                    case .key(let key): .key(key)
                    }
                }
        }
        return steps(to: link.place)
    }

    /// The way from an object to the place of an embedded object, or of a link.
    func steps(to place: DraftPlace) -> [DanglingLink.PathStep] {
        let property = DanglingLink.PathStep.property(
            rowClass.definition.properties[place.member].name)
        guard let element = place.element else { return [property] }
        guard rowClass.members[place.member].storage.shape == .map else {
            return [property, .element(element)]
        }
        return [property, .key(String(decoding: key(of: entries[element]), as: UTF8.self))]
    }

    /// Calls `body` with the object and each embedded object in it, at any depth, and with the way there.
    ///
    /// - `path`: The way to the object itself.
    func forEachPart(
        at path: [DanglingLink.PathStep],
        _ body: (_ part: ObjectDraft, _ path: [DanglingLink.PathStep]) -> Void
    ) {
        body(self, path)
        for (child, place) in zip(children, places) {
            if let place { child.forEachPart(at: path + steps(to: place), body) }
        }
    }
}
