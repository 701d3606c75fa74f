import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport

// Writes of the user in both stores.
extension RuleModels {
    /// Whether an object may go with one that it links to.
    package var hasCascade: Bool {
        classes.contains { $0.properties.contains { $0.onDelete == .cascade } }
    }

    /// Gives links delete rules, and makes values unique where the store's are.
    mutating func constrain(_ store: Store) throws {
        // With these what the user does not see may change what they do see.
        let rules: [OnDelete] = chance(30) ? [.cascade, .deny] : chance(40) ? [.deny] : []
        let unique = chance(50) ? 40 : 0
        for index in classes.indices {
            for place in classes[index].properties.indices {
                let kept = classes
                let property = classes[index].properties[place]
                if case .object(let name)? = property.type.element,
                    classes.contains(where: { $0.name == name && $0.kind == .object }),
                    !rules.isEmpty, chance(20)
                {
                    classes[index].properties[place].onDelete = pick(rules)
                } else if case .single(.scalar(let type)) = property.type, type != .mixed,
                    classes[index].kind == .object,
                    chance(unique)
                {
                    classes[index].properties[place].isUnique = true
                } else {
                    continue
                }
                do { _ = try store.setSchema(classes) } catch { classes = kept }
            }
        }
    }

    /// Whether what was written between two states of the first store is seen, all of what is new, and all else is seen or hidden as
    /// before: then the second store, with the same writes, is its part still.
    ///
    /// The user's object, and what it links to, is not to change, as rules have been given what it says.
    package func showTheSame(
        before: VisibilityModels.Contents, after: VisibilityModels.Contents, _ store: Store
    ) throws -> Bool {
        if let id = user.flatMap({ Int64($0) }) {
            func own(_ contents: VisibilityModels.Contents) -> [ObjectContent] {
                guard
                    let object = contents["A"]?.values.first(where: { $0["id"] == .value(.int(id)) }
                    )
                else { return [] }
                let links = object.sorted { $0.key < $1.key }.map(\.value.plainValue)
                return [object]
                    + links.compactMap { link in
                        guard case .link(let name, .int(let key)) = link else { return nil }
                        return contents[name]?[UInt64(bitPattern: key)]
                    }
            }
            if own(before) != own(after) { return false }
        }
        return try twins.showTheSame(before: before, after: after, store)
    }
}
