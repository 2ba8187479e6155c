import { Burger, Drawer } from '@mantine/core';
import { Outlet, useLocation } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { text } from '../texts';
import { AccountMenu } from './AccountMenu';
import styles from './AppShell.module.css';
import { ConnectionState } from './ConnectionState';
import { NavLinks } from './NavLinks';
import { WorkspaceChooser } from './WorkspaceChooser';

/** The frame around all screens: navigation at the side, on a phone behind a button. */
export function AppShell() {
    const [isOpen, setOpen] = useState(false);
    const { pathname } = useLocation();
    useEffect(() => setOpen(false), [pathname]);
    return (
        <div className={styles.shell}>
            <a href="#content" className={styles.skip}>
                {text.shell.skip}
            </a>
            <header className={styles.top}>
                <Burger
                    className={styles.burger}
                    opened={isOpen}
                    onClick={() => setOpen(!isOpen)}
                    size="sm"
                    aria-label={text.shell.menu}
                />
                <span className={styles.brand}>
                    <img src="/icon.svg" alt="" width={26} height={26} />
                    <span className={styles.product}>{text.shell.product}</span>
                </span>
                <div className={styles.tools}>
                    <ConnectionState />
                    <WorkspaceChooser />
                    <AccountMenu />
                </div>
            </header>
            <nav className={styles.side} aria-label={text.shell.navigation}>
                <NavLinks />
            </nav>
            <Drawer opened={isOpen} onClose={() => setOpen(false)} title={text.shell.product} size={260}>
                <nav aria-label={text.shell.navigation}>
                    <NavLinks />
                </nav>
            </Drawer>
            <main id="content" className={styles.main} tabIndex={-1}>
                <Outlet />
            </main>
        </div>
    );
}
