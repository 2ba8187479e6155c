//! Bounds of a workload's specification that no single field can tell.

use crate::body::{Check, Wrong};
use crate::limits::{
    MAX_ARGS, MAX_ARGS_BYTES, MAX_ENV, MAX_ENV_BYTES, MAX_GRACE, MAX_NAMED_MODELS, MAX_NAMED_NODES, MAX_PATH,
    MAX_READY_PATH, MAX_READY_PERIOD, MAX_READY_TIMEOUT, MAX_REPLICAS, MAX_RESTARTS, MAX_ROLES,
    MIN_IDLE_TIMEOUT, MIN_READY_PERIOD,
};
use crate::pointer::escape;
use crate::workload::{ReadinessSpec, WorkloadMetadata, WorkloadSpec};
use tidegate_engine::words::Module;

impl Check for WorkloadMetadata {
    fn check(&self, wrong: &mut Wrong) {
        wrong.below("/labels", &self.labels);
        if let Some(name) = self.name.as_ref().filter(|name| crate::uid::as_workload(name).is_some()) {
            wrong.add("/name", format!("{name} reads as the uid of a workload: choose another name"));
        }
    }
}

impl Check for WorkloadSpec {
    fn check(&self, wrong: &mut Wrong) {
        self.check_size(wrong);
        self.check_launch(wrong);
        self.check_reached(wrong);
        wrong.bound("/gpuModels", self.gpu_models.len(), MAX_NAMED_MODELS, "GPU models");
        wrong.bound("/nodes", self.nodes.len(), MAX_NAMED_NODES, "nodes");
        wrong.bound("/restarts", self.restarts.unwrap_or(0) as usize, MAX_RESTARTS as usize, "restarts");
        if self.grace_period.is_some_and(|grace| grace.span() > MAX_GRACE) {
            wrong.add("/gracePeriod", "a grace period is at most 24h");
        }
        if self.max_run_time.is_some_and(|time| time.span().0 == 0) {
            wrong.add("/maxRunTime", "a time to run is not 0s");
        }
        if self.task.is_some() {
            wrong.add("/task", "a task of a template is submitted at /api/v1/tasks");
        }
    }
}

impl Check for ReadinessSpec {
    fn check(&self, wrong: &mut Wrong) {
        if let Some(path) = &self.path {
            wrong.bound("/path", path.len(), MAX_READY_PATH, "bytes of a path");
            if !path.starts_with('/') || !path.bytes().all(|b| b.is_ascii_graphic()) {
                wrong.add("/path", "a path begins with a slash, and has no spaces or special characters");
            }
        }
        let period = self.period.map_or(MIN_READY_PERIOD, |period| period.span());
        if period < MIN_READY_PERIOD || period > MAX_READY_PERIOD {
            wrong.add("/period", "a period is 100ms to 1h");
        }
        if self.timeout.is_some_and(|t| t.span().0 == 0 || t.span() > MAX_READY_TIMEOUT) {
            wrong.add("/timeout", "a timeout is more than 0s, and at most 60s");
        }
    }
}

impl WorkloadSpec {
    fn check_size(&self, wrong: &mut Wrong) {
        let count = |wrong: &mut Wrong, at: &str, replicas: u32| {
            if replicas == 0 {
                wrong.add(at, "ask for at least one replica");
            }
            wrong.bound(at, replicas as usize, MAX_REPLICAS as usize, "replicas");
        };
        if let Some(replicas) = self.replicas {
            count(wrong, "/replicas", replicas);
        }
        if let Some(minimum) = self.min_replicas {
            count(wrong, "/minReplicas", minimum);
        }
        if self.size.is_some() && self.resources.is_some() {
            wrong.add("/resources", "a size states resources itself: leave this out");
        }
        if self.roles.is_empty() {
            return;
        }
        if self.size.is_some() {
            wrong.add("/size", "roles state resources themselves: leave this out");
        }
        for (given, at) in [(self.replicas.is_some(), "/replicas"), (self.resources.is_some(), "/resources")]
        {
            if given {
                wrong.add(at, "roles state replicas and resources themselves: leave this out");
            }
        }
        wrong.bound("/roles", self.roles.len(), MAX_ROLES, "roles");
        for (index, role) in self.roles.iter().take(MAX_ROLES).enumerate() {
            count(wrong, &format!("/roles/{index}/replicas"), role.replicas);
            if self.roles[..index].iter().any(|other| other.name == role.name) {
                wrong.add(&format!("/roles/{index}/name"), format!("the role {} is there twice", role.name));
            }
        }
    }

    /// What is for those only who can be reached.
    fn check_reached(&self, wrong: &mut Wrong) {
        let module = self.module.map_or(Module::Training, |module| module.0);
        if let Some(idle) = self.idle_timeout {
            if module != Module::Notebook {
                wrong.add("/idleTimeout", "only a notebook is stopped when nobody uses it");
            }
            if idle.span() < MIN_IDLE_TIMEOUT {
                wrong.add("/idleTimeout", "a notebook is left alone for at least 1s");
            }
        }
        if let Some(readiness) = &self.readiness {
            if !matches!(module, Module::Notebook | Module::Service) {
                wrong.add("/readiness", "only notebooks and services are sent requests");
            }
            wrong.below("/readiness", readiness);
        }
    }

    fn check_launch(&self, wrong: &mut Wrong) {
        wrong.bound("/command", self.command.len(), MAX_ARGS, "arguments");
        let bytes = self.command.iter().map(String::len).sum();
        wrong.bound("/command", bytes, MAX_ARGS_BYTES, "bytes of arguments");
        if self.command.first().is_some_and(String::is_empty) {
            wrong.add("/command/0", "the program has no name");
        }
        // The kernel ends a string at the first zero byte.
        if let Some(index) = self.command.iter().position(|argument| argument.contains('\0')) {
            wrong.add(&format!("/command/{index}"), "an argument has no zero bytes");
        }
        wrong.bound("/env", self.env.len(), MAX_ENV, "environment variables");
        let bytes = self.env.iter().map(|(key, value)| key.len() + value.len()).sum();
        wrong.bound("/env", bytes, MAX_ENV_BYTES, "bytes of environment variables");
        let bad = |(key, value): &(&String, &String)| {
            key.is_empty() || key.contains(['=', '\0']) || value.contains('\0')
        };
        if let Some((key, _)) = self.env.iter().find(bad) {
            let why =
                "the name of a variable is not empty and has no '='; neither it nor the value has zero bytes";
            wrong.add(&format!("/env/{}", escape(key)), why);
        }
        if let Some(directory) = &self.working_dir {
            wrong.bound("/workingDir", directory.len(), MAX_PATH, "bytes of a path");
            if directory.is_empty() || directory.contains('\0') {
                wrong.add("/workingDir", "a path is not empty and has no zero bytes");
            }
        }
        let played = self.virtual_run.unwrap_or_default();
        if played.fails == Some(0) {
            wrong.add("/virtual/fails", "an exit code of 0 is no failure");
        }
        if played.checkpoint.is_some_and(|every| every.span().0 == 0) {
            wrong.add("/virtual/checkpoint", "checkpoints are more than 0s apart");
        }
    }
}
