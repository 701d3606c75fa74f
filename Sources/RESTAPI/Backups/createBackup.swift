import HTTPServer
import JSON
import ObjectJSON

extension RESTService {
    /// `POST /v1/backups`: copies the store as it is now, while writes go on.
    func createBackup(_ request: Request) -> Outcome {
        answering { () throws(RequestFault) in
            try Parameters.refuseAll(request)
            try request.requireAccepted("application/json")
            try IdempotencyKey.refuse(request)
            let folder = try backupFolder()
            return .later { exchange in
                let isBegun = folder.make(self.store) { result in
                    exchange.respond {
                        switch result {
                        case .success(let entry):
                            Response.json(201) { self.write(entry, to: $0) }
                                .with(.location, "/v1/backups/\(entry.name)")
                        case .failure(let failure): self.response(self.problem(failure))
                        }
                    }
                }
                guard !isBegun else { return }
                exchange.respond(
                    self.response(
                        RequestFault(
                            .unavailable, "backup-running",
                            "A backup is being made; wait for its end.",
                            retryAfterSeconds: 5)))
            }
        }
    }
}
