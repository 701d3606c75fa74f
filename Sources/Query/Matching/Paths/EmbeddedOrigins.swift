import HoldfastRows

/// The embedded objects that link to an object: an inverse link names their owners only, so these are looked through.
package struct EmbeddedOrigins {
    let schema: RowSchema
    let originClass: RowClass
    /// The property of the embedded class that links.
    let member: Int
    /// The object key of the object that is linked to.
    let target: UInt64
    let source: any ObjectSource

    /// Looks for the embedded objects of a class that link to an object through a property.
    package init(
        schema: RowSchema, originClass: RowClass, member: Int, target: UInt64,
        source: any ObjectSource
    ) {
        self.schema = schema
        self.originClass = originClass
        self.member = member
        self.target = target
        self.source = source
    }

    /// Hands over each embedded object, as often as it links, with the position of its holder, until `body` returns false.
    ///
    /// - `holders`: The stack that the holders are put on while `body` runs.
    /// - Returns: Whether it never did.
    func forEach(
        fromClass: Int, _ holders: inout [EmbeddedHolder],
        _ body: (_ embedded: RowView, _ holder: Int, inout [EmbeddedHolder]) -> Bool
    ) -> Bool {
        var goesOn = true
        var last: (classIndex: Int, key: UInt64)?
        source.forEachOrigin(
            ofClass: fromClass, key: target, originClass: originClass.index, member: member
        ) { classIndex, key in
            // An owner comes once for each of its links.
            if let last, last == (classIndex, key) { return true }
            last = (classIndex, key)
            guard let row = source.row(classIndex: classIndex, key: key) else { return true }
            goesOn = forEach(in: row, of: schema.classes[classIndex], key: key, &holders, body)
            return goesOn
        }
        return goesOn
    }

    /// Hands over each embedded object of an owner, or of one within it, as ``forEach(fromClass:_:_:)`` does.
    ///
    /// - `parent`: The position of the holder of an embedded object; −1 of an owner.
    package func forEach(
        in row: RowView, of rowClass: RowClass, key: UInt64, parent: Int = -1,
        _ holders: inout [EmbeddedHolder],
        _ body: (_ embedded: RowView, _ holder: Int, inout [EmbeddedHolder]) -> Bool
    ) -> Bool {
        for (position, compiled) in rowClass.members.enumerated() where compiled.isEmbedded {
            let inner = schema.classes[compiled.classIndex]
            holders.append(
                EmbeddedHolder(
                    row: row, key: key, classIndex: rowClass.index, member: position,
                    parent: parent))
            defer { holders.removeLast() }
            if compiled.storage.shape == .single {
                guard let embedded = rowClass.embedded(position, in: row) else { continue }
                if !take(embedded, of: inner, key, &holders, body) { return false }
                continue
            }
            let all = rowClass.collection(position, in: row, source)
            let goesOn = all.forEach(within: source.budget) { part, offset, _ in
                guard !part.isNull(offset), let embedded = RowView(part.bytes(offset)) else {
                    return true
                }
                return take(embedded, of: inner, key, &holders, body)
            }
            if !goesOn { return false }
        }
        return true
    }

    /// Passes on an embedded object of the last holder on the stack, and looks through it.
    private func take(
        _ row: RowView, of rowClass: RowClass, _ key: UInt64, _ holders: inout [EmbeddedHolder],
        _ body: (RowView, Int, inout [EmbeddedHolder]) -> Bool
    ) -> Bool {
        let holder = holders.count - 1
        if rowClass.index == originClass.index {
            for _ in 0..<linkCount(row) where !body(row, holder, &holders) { return false }
        }
        return forEach(in: row, of: rowClass, key: key, parent: holder, &holders, body)
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

/// The row around an embedded object: an object, or an embedded object that has a holder itself.
///
/// Walks into embedded objects that may have to find the way back keep holders on a stack.
package struct EmbeddedHolder {
    package var row: RowView
    /// The object key of the object that the row belongs to or lies in.
    package var key: UInt64
    /// The class of the holder, by position in the schema.
    package var classIndex: Int
    /// The property that holds the embedded object.
    package var member: Int
    /// The position of the holder of an embedded holder on the stack; −1 of an object.
    package var parent: Int

    package init(row: RowView, key: UInt64, classIndex: Int, member: Int, parent: Int) {
        self.row = row
        self.key = key
        self.classIndex = classIndex
        self.member = member
        self.parent = parent
    }
}

extension [EmbeddedHolder] {
    /// Returns the object that an embedded object belongs to, by the position of its holder; nil for −1.
    package func owner(of position: Int) -> EmbeddedHolder? {
        guard position >= 0 else { return nil }
        var holder = self[position]
        while holder.parent >= 0 { holder = self[holder.parent] }
        return holder
    }
}
