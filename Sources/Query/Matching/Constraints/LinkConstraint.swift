import HoldfastObjectModel
import HoldfastRows

/// The demand of a condition on the objects behind the first link of its path: each match has such a link to one of them.
package struct LinkConstraint: Hashable, Sendable {
    /// The objects that the link has to lead to.
    package enum Far: Hashable, Sendable {
        /// One of the objects that the query names: links as `Value.link`, never null.
        case objects([Value])
        /// The objects of the step's class that match.
        case matching(Predicate)
    }

    /// The way there: steps into embedded objects, if any, then one along a link or an inverse one.
    package var steps: [PathStep]
    /// The objects at its end.
    package var far: Far
    /// Whether everyone with such a link matches; else each has to be tested.
    package var isExact: Bool

    /// The step along the link.
    package var link: PathStep { steps[steps.count - 1] }
}

extension Comparison {
    /// Returns the demand of the comparison on objects that a path links to; nil where an object without
    /// such a link may match, or where the path's values are not looked at one by one.
    ///
    /// `a.b.c == 1` becomes `b.c == 1` of the objects that `a` links to. Their own path is taken apart in
    /// the same way; so every step is one walk along inverse links.
    package func linkConstraint(_ schema: RowSchema) -> LinkConstraint? {
        guard let compared = ComparedPath(self), case .objects = compared.path.root,
            compared.quantifier == nil || compared.quantifier == .any, compared.path.type != .kinds
        else { return nil }
        let path = compared.path
        switch path.terminal {
        case .value, .elements, .elementAt, .inverse: break
        default: return nil
        }
        if case .link = path.type, let named = path.linkToNamed(compared, schema) { return named }
        guard let (head, rest) = path.partedBehindLink(schema) else { return nil }
        // An object without the link has null at the end of a path to one value, and nothing at the end of others.
        var maker = ValueTestMaker(schema: schema)
        let holdsOfNull = maker.test(compared).nullResult
        if holdsOfNull, !path.isMany { return nil }
        // The rest may be a path to one value, which is null where the whole path has nothing.
        let isSame = rest.isMany || !holdsOfNull || rest.ownMember != nil
        return LinkConstraint(
            steps: head, far: .matching(.comparison(compared.behind(head.count))),
            isExact: isSame && head.areExact)
    }
}

extension RegionCondition {
    /// Returns the demand of the condition on objects that its path links to; nil where it goes along no link, or
    /// if ALL or NONE of several points are meant.
    ///
    /// As of ``Comparison/linkConstraint(_:)``; an object without the link has no point, which lies in no region.
    package func linkConstraint(_ schema: RowSchema) -> LinkConstraint? {
        guard case .objects = path.root, quantifier == nil || quantifier == .any,
            let (head, rest) = path.partedBehindLink(schema)
        else { return nil }
        var behind = self
        behind.path = rest
        behind.quantifier = rest.isMany ? quantifier : nil
        return LinkConstraint(steps: head, far: .matching(.within(behind)), isExact: head.areExact)
    }
}

extension ValuePath {
    /// Returns the steps up to the first along a link, and the path from there on; nil without a link, or if
    /// it leads to embedded objects: inverse links only name their owners.
    fileprivate func partedBehindLink(_ schema: RowSchema) -> (head: [PathStep], rest: ValuePath)? {
        guard let index = steps.firstIndex(where: \.isLinkLike), !steps[index].leadsToOwners(schema)
        else { return nil }
        return (Array(steps[...index]), behind(index + 1))
    }

    /// Returns the constraint of a path that ends in a link itself, compared with objects that the query names.
    fileprivate func linkToNamed(_ compared: ComparedPath, _ schema: RowSchema) -> LinkConstraint? {
        guard compared.relation.comparison == .equal, steps.allSatisfy({ !$0.isLinkLike }),
            compared.listQuantifier == nil || compared.listQuantifier == .any
        else { return nil }
        // No inverse link has a position in a list.
        if case .elementAt = terminal { return nil }
        guard let steps = stepsToObjects, let last = steps.last, last.toClass >= 0,
            !last.leadsToOwners(schema)
        else { return nil }
        for value in compared.constants {
            guard case .link(let name, _) = value,
                name.isSame(as: schema.classes[last.toClass].definition.name)
            else { return nil }
        }
        return LinkConstraint(
            steps: steps, far: .objects(compared.constants), isExact: steps.areExact)
    }
}

extension PathStep {
    /// Whether it goes back to embedded objects: inverse links name their owners.
    fileprivate func leadsToOwners(_ schema: RowSchema) -> Bool {
        kind == .inverse && schema.classes[toClass].definition.kind == .embedded
    }

    /// Whether it goes to another object and not into an embedded one.
    package var isLinkLike: Bool {
        switch kind {
        case .link, .links, .linkAt, .inverse, .mixedLinks: true
        case .embedded, .embeddedList, .embeddedAt, .holder: false
        }
    }
}

extension [PathStep] {
    /// Whether inverse links determine the steps. Inverse links of an embedded object name its owner, and
    /// not where in the owner it lies; and no inverse link has a position in a list.
    fileprivate var areExact: Bool {
        count == 1 && [.link, .links, .inverse].contains(self[0].kind)
    }
}
