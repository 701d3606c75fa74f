/// The origin of an object in what a client wrote: how errors name it.
struct WriteOrigin {
    /// The operation or line of the transaction, by a number of the caller's.
    var source: Int
    /// The way from the object that the operation states.
    var path: [DanglingLink.PathStep] = []

    /// The origin of what stands further inside.
    func appending(_ steps: [DanglingLink.PathStep]) -> WriteOrigin {
        WriteOrigin(source: source, path: path + steps)
    }
}
