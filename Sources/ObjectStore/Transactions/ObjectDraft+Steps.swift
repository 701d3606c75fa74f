import HoldfastObjectModel
import HoldfastRows

// Where the parts of a draft stand in it, for faults.
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
        if let key = key(of: link) { return [.property(name), .key(key)] }
        guard let element = link.element else { return [.property(name)] }
        return [.property(name), .element(element)]
    }

    /// The way from an object to itself, or into an embedded object at any depth; nil for another's.
    func steps(toPart part: ObjectDraft) -> [DanglingLink.PathStep]? {
        if part === self { return [] }
        for (position, child) in children.enumerated() {
            if let inner = child.steps(toPart: part) { return steps(toChild: position) + inner }
        }
        return nil
    }

    /// The way from an object into one of its embedded children.
    func steps(toChild position: Int) -> [DanglingLink.PathStep] {
        for (member, field) in fields.enumerated() {
            let name = rowClass.definition.properties[member].name
            switch field.state {
            case .child where field.start == position: return [.property(name)]
            case .children where (field.start..<(field.start + field.count)).contains(position):
                return [.property(name), .element(position - field.start)]
            case .entries:
                guard let entry = entry(ofChild: position, in: field) else { continue }
                return [.property(name), .key(entry)]
            default: continue
            }
        }
        return []
    }
}
