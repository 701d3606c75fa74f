/// Why a part of a patch can't be taken in any object of the class.
struct PatchRefusal: Error {
    var code = "path-missing"
    var detail: String
    /// The member of the step that has the fault.
    var member = "path"
    /// The nearest known name to an unknown one.
    var hint: String?
}
