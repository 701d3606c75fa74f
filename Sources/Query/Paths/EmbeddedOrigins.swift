import Rows

/// The embedded objects that link to an object: an inverse link names their owners only, so these are
/// looked through.
struct EmbeddedOrigins {
    let schema: RowSchema
    let originClass: RowClass
    /// The property of the embedded class that links.
    let member: Int
    /// The object key of the object that is linked to.
    let target: UInt64
    let source: any ObjectSource

    /// Hands over each embedded object, as often as it links, with its owner's key, until `body` returns
    /// false.
    ///
    /// - Returns: Whether it never did.
    func forEach(fromClass: Int, _ body: (_ embedded: RowView, _ owner: UInt64) -> Bool) -> Bool {
        var goesOn = true
        var last: (classIndex: Int, key: UInt64)?
        source.forEachOrigin(
            ofClass: fromClass, key: target, originClass: originClass.index, member: member
        ) { classIndex, key in
            // An owner comes once for each of its links.
            if let last, last == (classIndex, key) { return true }
            last = (classIndex, key)
            guard let row = source.row(classIndex: classIndex, key: key) else { return true }
            goesOn = visit(schema.classes[classIndex], row) { body($0, key) }
            return goesOn
        }
        return goesOn
    }

    /// Looks through the embedded objects of a row.
    private func visit(_ rowClass: RowClass, _ row: RowView, _ body: (RowView) -> Bool) -> Bool {
        for (position, compiled) in rowClass.members.enumerated()
        where compiled.storage.element == .embedded && compiled.storage.shape != .none {
            let inner = schema.classes[compiled.classIndex]
            if compiled.storage.shape == .single {
                guard let embedded = rowClass.embedded(position, in: row) else { continue }
                if !take(inner, embedded, body) { return false }
                continue
            }
            let all = rowClass.collection(position, in: row, source)
            let goesOn = all.forEach(within: source.budget) { part, offset, _ in
                guard !part.isNull(offset), let embedded = RowView(part.bytes(offset)) else {
                    return true
                }
                return take(inner, embedded, body)
            }
            if !goesOn { return false }
        }
        return true
    }

    private func take(_ rowClass: RowClass, _ row: RowView, _ body: (RowView) -> Bool) -> Bool {
        if rowClass.index == originClass.index {
            for _ in 0..<linkCount(row) where !body(row) { return false }
        }
        return visit(rowClass, row, body)
    }

    private func linkCount(_ row: RowView) -> Int {
        guard originClass.members[member].storage.shape != .single else {
            let field = originClass.field(member, in: row)
            return !field.isNull && field.load(UInt64.self) == target ? 1 : 0
        }
        var count = 0
        originClass.collection(member, in: row, source)
            .forEach(within: source.budget) { part, offset, _ in
                if !part.isNull(offset), part.pointer(offset).storedLink == target { count += 1 }
                return true
            }
        return count
    }
}
