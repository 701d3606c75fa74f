/// The access document of a store: the rights of users, as text that the layer above understands.
///
///     field (as ``RecordCoder`` writes it)
///     1 byte: the form, 2; 1 before format 8
///     8 bytes: the revision, from 1
///     8 bytes: the revision that set these rules, as far as names do not count; not in form 1
///     text:    the document
package struct StoredDocument: CodedRecord, Equatable, Sendable {
    /// The number of times that a document was set, or changed with the schema.
    package var revision: UInt64
    /// The revision that set these rules. Later revisions only changed names in them, by changes of the schema.
    package var rulesRevision: UInt64
    package var text: String

    /// The form without ``rulesRevision``, and the form that is written now.
    private static let forms: ClosedRange<UInt8> = 1...2

    /// Makes a document.
    ///
    /// - `rulesRevision`: Nil if the revision itself sets other rules.
    package init(revision: UInt64, rulesRevision: UInt64? = nil, text: String) {
        self.revision = revision
        self.rulesRevision = rulesRevision ?? revision
        self.text = text
    }

    /// Reads a stored record; nil when it is damaged, or of a form that this program does not know.
    init?(_ bytes: UnsafeRawBufferPointer) {
        self.init(revision: 0, text: "")
        guard read(bytes), revision > 0, rulesRevision <= revision else { return nil }
        if rulesRevision == 0 { rulesRevision = revision }
    }

    mutating func code(_ coder: inout RecordCoder) {
        var form = Self.forms.upperBound
        coder.code(&form)
        if !Self.forms.contains(form) { coder.fail() }
        coder.code(&revision)
        if form > 1 { coder.code(&rulesRevision) }
        coder.code(&text)
    }
}
